# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = Mit { $name } anmelden
sso-over-title = Bitte melden Sie sich noch einmal an
sso-over = Diese Anmeldung ist abgelaufen, wurde schon verwendet oder in einem anderen Browser begonnen. Beginnen Sie auf der Anmeldeseite von vorn.
sso-denied-title = Sie sind nicht angemeldet
sso-denied = Sie haben abgebrochen, oder { $name } hat Sie nicht angemeldet. Versuchen Sie es noch einmal, oder melden Sie sich per E-Mail an.
sso-away-title = { $name } antwortet nicht
sso-away = Wir erreichen { $name } gerade nicht. Versuchen Sie es in ein paar Minuten noch einmal, oder melden Sie sich per E-Mail an.
sso-setup-title = Die Anmeldung mit { $name } funktioniert nicht
sso-setup = Die Verbindung zwischen uns und { $name } ist nicht richtig eingerichtet. Bitte sagen Sie Ihrer Einrichtung Bescheid. Bis dahin können Sie sich per E-Mail anmelden.
sso-forged-title = Wir konnten Sie nicht anmelden
sso-forged = Wir konnten die Antwort von { $name } nicht prüfen. Bitte versuchen Sie es auf der Anmeldeseite noch einmal.
sso-no-email-title = Ihre E-Mail-Adresse fehlt
sso-no-email = { $name } hat uns Ihre E-Mail-Adresse nicht mitgeteilt, deshalb finden wir Ihren Namen hier nicht. Melden Sie sich stattdessen per E-Mail an.
sso-unverified-title = Ihre E-Mail-Adresse ist nicht bestätigt
sso-unverified = { $name } hat nicht bestätigt, dass die E-Mail-Adresse Ihnen gehört. Bestätigen Sie sie dort, oder melden Sie sich stattdessen per E-Mail an.
sso-domain-title = Diese Adresse kann hier nicht verwendet werden
sso-domain = Sie sind bei { $name } als { $email } angemeldet, und diese Einrichtung akzeptiert solche Adressen nicht. Versuchen Sie es mit einem anderen Konto.
sso-unknown-title = Sie sind nicht eingetragen
sso-unknown = { $name } hat bestätigt, dass Sie { $email } sind, aber mit dieser Adresse ist hier niemand eingetragen. Bitten Sie Ihre Einrichtung, Sie einzutragen, oder versuchen Sie es mit einem anderen Konto.
sso-wait-title = Bitte warten Sie einen Moment
sso-wait = Aus Ihrem Netz melden sich gerade zu viele Personen an. Bitte versuchen Sie es in einer Minute noch einmal.
sso-signed-out-title = Sie sind abgemeldet
sso-signed-out = Sie sind hier abgemeldet. Als Nächstes bringen wir Sie zu { $name }, damit Sie sich auch dort abmelden können.
