# L’enregistreur. Le script remplace %s par une durée, comme « 2 secondes », ou par le nom d’un fichier dans recorder-chosen.

recorder-record = Enregistrer mon nom
recorder-stop = Arrêter
recorder-play = Écouter
recorder-again = Recommencer
recorder-keep = Utiliser cet enregistrement
recorder-retry = Réessayer
recorder-file = Envoyer plutôt un fichier
recorder-phone = Continuer sur votre téléphone
recorder-call = Recevoir plutôt un appel
recorder-own-window = Ouvrir dans une autre fenêtre
recorder-countdown = Compter 3, 2, 1 avant de commencer
recorder-others = Autres possibilités
recorder-time-left = Temps restant
recorder-progress = Envoi

recorder-ready = Appuyez sur le bouton et dites votre nom comme vous aimez l’entendre. Vous pourrez l’écouter avant tout le monde.
recorder-asking = Veuillez autoriser le microphone. Votre navigateur vous le demande maintenant.
recorder-get-ready = Préparez-vous…
recorder-recording = Enregistrement en cours. Appuyez sur Arrêter quand vous avez terminé.
recorder-not-heard = Nous n’entendons encore rien. Parlez un peu plus fort ou vérifiez que votre microphone est allumé.
recorder-working = Un instant…
recorder-take = Votre enregistrement dure %s. Écoutez-le, utilisez-le ou recommencez.
recorder-chosen = Votre fichier : %s. Écoutez-le ou utilisez-le.

# Conseils avant l’envoi d’un enregistrement.
recorder-silent = Nous n’y entendons pas de voix. Vérifiez que le bon microphone est allumé, puis recommencez.
recorder-short = Il est très court. Recommencez et dites votre nom en entier.
recorder-cut = Le début semble manquer. Recommencez et attendez de voir « Enregistrement en cours » avant de parler.
recorder-clipped = Le son est trop fort et déformé. Recommencez, un peu plus loin du microphone.
recorder-quiet = Le son est très faible. Recommencez, plus près du microphone ; nous augmenterons le volume pour vous.
recorder-noisy = Il y a beaucoup de bruit autour de vous. Recommencez dans un endroit plus calme ; nous atténuerons le bruit pour vous.
recorder-unplayable = Ce navigateur ne peut pas lire l’enregistrement avant qu’il soit sauvegardé. Vous pouvez l’utiliser et l’écouter ensuite.
recorder-empty = Votre navigateur n’a rien enregistré. Veuillez recommencer ou choisir une autre possibilité ci-dessous.
recorder-interrupted = L’enregistrement a été interrompu, par exemple par un appel. Rien n’a été sauvegardé. Veuillez recommencer.

# Envoi.
recorder-sending = Sauvegarde de votre enregistrement…
recorder-kept = C’est sauvegardé. Voilà comment les autres entendront votre nom.
recorder-offline = La connexion a été perdue. Votre enregistrement est toujours là : réessayez quand la connexion sera rétablie.
recorder-busy = Beaucoup de personnes enregistrent leur nom en ce moment. Votre enregistrement est toujours là : réessayez dans un instant.
recorder-signed-out = Votre session est terminée : connectez-vous dans un autre onglet, puis réessayez. Votre enregistrement est toujours là.
recorder-refused = Nous ne pouvons pas utiliser cet enregistrement. Veuillez recommencer ou choisir un autre fichier.
recorder-trouble = Un problème est survenu de notre côté. Votre enregistrement est toujours là : veuillez réessayer.

# Quand il n’y a pas de microphone.
recorder-denied = Cette page n’a pas le droit d’utiliser votre microphone. Autorisez-le dans la barre d’adresse ou dans les paramètres du navigateur et appuyez de nouveau sur le bouton, ou choisissez une autre possibilité ci-dessous.
recorder-none-found = Nous n’avons trouvé aucun microphone. Branchez-en un et appuyez de nouveau sur le bouton, ou choisissez une autre possibilité ci-dessous.
recorder-in-use = Une autre application utilise votre microphone. Fermez-la, par exemple un appel vidéo, et appuyez de nouveau sur le bouton.
recorder-not-secure = Votre navigateur ne permet d’enregistrer que sur des pages sécurisées (https), et celle-ci ne l’est pas. Veuillez choisir une autre possibilité ci-dessous.
recorder-framed = Le site qui contient cette page ne lui permet pas d’utiliser votre microphone. Ouvrez-la dans une autre fenêtre ou choisissez une autre possibilité ci-dessous.
recorder-unsupported = Ce navigateur ne peut pas enregistrer. Veuillez choisir une autre possibilité ci-dessous.
recorder-found = Un microphone est maintenant branché. Appuyez sur le bouton pour enregistrer.

# Un fichier.
recorder-file-label = Un enregistrement de votre nom
recorder-file-hint = Quelques secondes, dans n’importe quel format audio courant.
recorder-file-send = Envoyer

# Sur le téléphone.
recorder-phone-how = Scannez ce code avec l’appareil photo de votre téléphone. Il fonctionne une seule fois, pendant dix minutes.
recorder-phone-code = Code à scanner avec votre téléphone
recorder-phone-address = Ou ouvrez cette adresse sur votre téléphone :
recorder-phone-waiting = En attente de votre téléphone. Cette page vous préviendra quand votre enregistrement sera arrivé.
recorder-phone-failed = Nous n’avons pas pu créer de code. Veuillez réessayer dans un instant.
recorder-phone-expired = Le code a expiré. Veuillez en demander un nouveau.
recorder-arrived = Votre enregistrement est arrivé de votre téléphone. Voilà comment les autres entendront votre nom.

# Refus du serveur.
recorder-fault-no-file = Veuillez d’abord choisir un fichier.
recorder-fault-too-large = Ce fichier est trop volumineux pour l’enregistrement d’un nom. Veuillez en choisir un plus petit.
recorder-fault-not-sound = Nous ne pouvons pas lire cet enregistrement. Veuillez choisir un fichier WAV, MP3, M4A, AAC, Ogg, WebM ou FLAC.
recorder-fault-damaged = Cet enregistrement est endommagé ou incomplet. Veuillez recommencer ou choisir de nouveau le fichier.
recorder-fault-closed = Cette page de noms est fermée et n’accepte plus d’enregistrements.
recorder-fault-unusual = Nous ne pouvons pas lire ce type d’enregistrement. Veuillez recommencer ici ou choisir un autre fichier.
recorder-fault-too-long =
    { $seconds ->
        [one] Cet enregistrement dure plus de { $seconds } seconde. Veuillez dire seulement votre nom.
       *[other] Cet enregistrement dure plus de { $seconds } secondes. Veuillez dire seulement votre nom.
    }
recorder-fault-too-short = Cet enregistrement est trop court. Veuillez dire votre nom en entier.
recorder-fault-silent = Nous n’entendons rien dans cet enregistrement. Veuillez vérifier votre microphone et recommencer.
