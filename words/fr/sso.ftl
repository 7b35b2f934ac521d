# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = Se connecter avec { $name }
sso-over-title = Veuillez vous reconnecter
sso-over = Cette connexion a expiré, a déjà servi ou a été commencée dans un autre navigateur. Recommencez depuis la page de connexion.
sso-denied-title = La connexion n’a pas abouti
sso-denied = Vous avez annulé, ou { $name } n’a pas autorisé la connexion. Réessayez ou connectez-vous par e-mail.
sso-away-title = { $name } ne répond pas
sso-away = Nous n’arrivons pas à joindre { $name } pour le moment. Réessayez dans quelques minutes ou connectez-vous par e-mail.
sso-setup-title = La connexion avec { $name } ne fonctionne pas
sso-setup = La liaison entre nous et { $name } n’est pas configurée correctement. Veuillez prévenir votre établissement. En attendant, vous pouvez vous connecter par e-mail.
sso-forged-title = Nous n’avons pas pu vous connecter
sso-forged = Nous n’avons pas pu vérifier la réponse de { $name }. Veuillez réessayer depuis la page de connexion.
sso-no-email-title = Il manque votre adresse e-mail
sso-no-email = { $name } ne nous a pas transmis votre adresse e-mail ; nous ne pouvons donc pas trouver votre nom ici. Connectez-vous plutôt par e-mail.
sso-unverified-title = Votre adresse e-mail n’est pas confirmée
sso-unverified = { $name } n’a pas confirmé que cette adresse e-mail est la vôtre. Confirmez-la dans ce compte ou connectez-vous par e-mail.
sso-domain-title = Cette adresse ne peut pas être utilisée ici
sso-domain = Votre adresse chez { $name } est { $email }, mais cet établissement n’accepte pas ce type d’adresse. Réessayez avec un autre compte.
sso-unknown-title = Vous n’avez pas de fiche ici
sso-unknown = { $name } a confirmé que vous êtes { $email }, mais personne n’a de fiche ici avec cette adresse. Demandez à votre établissement de vous ajouter ou réessayez avec un autre compte.
sso-wait-title = Veuillez patienter un peu
sso-wait = Il y a trop de connexions depuis votre réseau en ce moment. Veuillez réessayer dans une minute.
sso-signed-out-title = Votre session est fermée
sso-signed-out = Votre session est fermée ici. Nous vous conduisons maintenant vers { $name }, pour que vous puissiez aussi vous y déconnecter.
sso-unconfirmed-title = Nous n’avons pas pu confirmer que c’est bien vous
sso-unconfirmed = Pour cette étape, nous devons savoir que vous venez de vous connecter avec { $name }, ce qui ne nous a pas été indiqué. Déconnectez-vous là-bas, reconnectez-vous et recommencez l’étape. Si cela n’aide pas, demandez un lien de connexion aux responsables de ce service.
sso-tenant = Vous utilisez chez { $name } un compte qui n’appartient pas à cet établissement. Réessayez avec un autre compte.
