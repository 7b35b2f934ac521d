# Une page de noms : l’inscription, sa propre fiche, l’affiche.

page-date = Date : { $date }
page-lead = Ici, chaque personne enregistre la prononciation de son nom, pour que tout le monde le dise bien. Cela prend environ une minute.
page-closes = Veuillez enregistrer votre nom avant { $time } ({ $zone }).
page-closed = Cette page est fermée depuis { $time } ({ $zone }). Il n’est plus possible de s’y inscrire ni d’y enregistrer un nom.
page-archived = Cette page est archivée. Plus rien ne peut y être modifié.

page-window = Ouvrir cette page dans sa propre fenêtre
page-own-link = Aller à ma fiche
page-register-link = S’inscrire ici
page-people-link = Écouter les noms
page-known = J’ai déjà une fiche
page-not-permitted = Votre session est ouverte avec { $email }, et cette page est destinée à d’autres personnes. Si vous avez une autre adresse, déconnectez-vous et utilisez-la. Sinon, adressez-vous aux personnes qui vous ont indiqué cette page.
page-who = Votre session est ouverte avec { $email }.

page-ask-title = Pour commencer
page-ask-lead = Saisissez votre adresse e-mail. Nous vous enverrons un message avec un code, pour que personne d’autre ne s’inscrive à votre place. Vous n’avez pas besoin de mot de passe.
page-ask-later = Trop de personnes s’inscrivent en ce moment. Veuillez réessayer dans une heure environ.
page-ask-invited = Cette page est réservée aux personnes invitées. Si c’est votre cas, ouvrez le lien de votre invitation, ou saisissez ici votre adresse e-mail. Nous vous enverrons un message avec un code.
page-ask-closed = Si vous avez une fiche ici, saisissez votre adresse e-mail pour la voir. Nous vous enverrons un message avec un code.
page-domains = Veuillez utiliser une adresse de { $domains }.
page-event-code = Code de l’événement
page-event-code-hint = Vous le trouverez sur l’affiche ou dans le message à l’origine de votre visite.
page-event-code-missing = Veuillez saisir le code de l’événement.
page-event-code-wrong = Ce n’est pas le code de l’événement de cette page. Veuillez le vérifier.
page-code-lead = Si cette adresse peut s’inscrire sur { $page }, ou y figure déjà, un message avec un code est en route. Saisissez le code ici ou ouvrez le lien du message. Les deux fonctionnent une seule fois, pendant dix minutes.
page-code-none = Pas de message ? Regardez dans les courriers indésirables et vérifiez l’adresse.
page-code-again = Saisir l’adresse à nouveau

page-asked-title = Ce que nous vous demandons
page-asked-recording = Un enregistrement de votre nom : vous pouvez d’abord l’écouter, et recommencer autant de fois que vous voulez
page-asked-name = Votre nom
page-asked-photo = Une photo
page-optional = facultatif

page-form-title = Votre nom
page-form-lead = Cela s’affiche à côté de votre enregistrement sur { $page }.
page-form-send = Passer à l’enregistrement
page-first-name = Prénom
page-last-name = Nom de famille
page-names-hint = Si vous n’avez qu’un seul nom, laissez l’autre champ vide.
page-name-blank = Veuillez saisir votre nom.

page-done-registered = Votre inscription est faite. Enregistrez maintenant votre nom.
page-finished = C’est fait. Votre nom est enregistré.
page-finished-lead = Merci ! Vous pouvez fermer cette page, ou recommencer l’enregistrement.
page-held = L’enregistrement attend une validation. D’ici là, personne d’autre que vous et les personnes qui gèrent cette page ne peut l’entendre.
page-only = Utiliser le nouvel enregistrement sur cette page seulement
page-only-hint = Sinon, il est utilisé sur toutes vos pages.
page-missing = Il manque encore :
page-me-link = Toutes mes pages, et qui peut m’entendre

page-nav = Gérer cette page
page-nav-page = Page
page-nav-people = Personnes
page-nav-invitations = Invitations
page-nav-moderation = Modération
page-nav-messages = Messages
page-nav-import = Importer
page-nav-export = Exporter
page-nav-poster = Affiche

page-poster-how = Choisissez votre papier et imprimez cette page avec votre navigateur. Seule l’affiche est imprimée.
page-poster-a4 = A4
page-poster-letter = Lettre
page-poster-download = Télécharger le code QR
page-poster-call = Enregistrez la prononciation de votre nom
page-poster-scan = Scannez le code avec votre téléphone, ou ouvrez :
page-poster-qr = Code QR qui mène à cette page de noms
