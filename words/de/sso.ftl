# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = Mit { $name } anmelden
sso-over-title = Bitte melde dich noch einmal an
sso-over = Diese Anmeldung ist abgelaufen, wurde schon verwendet oder in einem anderen Browser begonnen. Fang auf der Anmeldeseite noch einmal an.
sso-denied-title = Du bist nicht angemeldet
sso-denied = Du hast abgebrochen, oder { $name } hat dich nicht angemeldet. Versuch es noch einmal oder melde dich stattdessen per E-Mail an.
sso-away-title = { $name } antwortet nicht
sso-away = Wir erreichen { $name } gerade nicht. Versuch es in ein paar Minuten noch einmal oder melde dich stattdessen per E-Mail an.
sso-setup-title = Die Anmeldung mit { $name } funktioniert nicht
sso-setup = Die Verbindung zwischen uns und { $name } ist nicht richtig eingerichtet. Bitte sag deiner Einrichtung Bescheid. Bis dahin kannst du dich per E-Mail anmelden.
sso-forged-title = Wir konnten dich nicht anmelden
sso-forged = Wir konnten die Antwort von { $name } nicht prüfen. Bitte versuch es auf der Anmeldeseite noch einmal.
sso-no-email-title = Deine E-Mail-Adresse fehlt
sso-no-email = { $name } hat uns deine E-Mail-Adresse nicht mitgeteilt, deshalb finden wir deinen Namen hier nicht. Melde dich stattdessen per E-Mail an.
sso-unverified-title = Deine E-Mail-Adresse ist nicht bestätigt
sso-unverified = { $name } hat nicht bestätigt, dass die E-Mail-Adresse dir gehört. Bestätige sie dort oder melde dich stattdessen per E-Mail an.
sso-domain-title = Diese Adresse kann hier nicht verwendet werden
sso-domain = Du bist bei { $name } als { $email } angemeldet, aber diese Einrichtung akzeptiert solche Adressen nicht. Versuch es mit einem anderen Konto.
sso-unknown-title = Du bist nicht eingetragen
sso-unknown = { $name } hat bestätigt, dass du { $email } bist, aber mit dieser Adresse ist hier niemand eingetragen. Bitte deine Einrichtung, dich einzutragen, oder versuch es mit einem anderen Konto.
sso-wait-title = Bitte warte ein wenig
sso-wait = Aus deinem Netz melden sich gerade zu viele Personen an. Bitte versuch es in einer Minute noch einmal.
sso-signed-out-title = Du bist abgemeldet
sso-signed-out = Du bist hier abgemeldet. Als Nächstes bringen wir dich zu { $name }, damit du dich auch dort abmelden kannst.
sso-unconfirmed-title = Wir konnten nicht bestätigen, dass du es bist
sso-unconfirmed = Für diesen Schritt müssen wir wissen, dass du dich gerade eben mit { $name } angemeldet hast, und das wurde uns nicht mitgeteilt. Melde dich dort ab, wieder an und wiederhole den Schritt. Wenn das nicht hilft, bitte die Betreiber dieses Dienstes um einen Anmeldelink.
sso-tenant = Du bist bei { $name } mit einem Konto angemeldet, das nicht zu dieser Einrichtung gehört. Versuche es mit einem anderen Konto noch einmal.
