# Lettres au sujet des pages de noms, la page où un établissement les modifie et celle où l’on cesse de les recevoir. Dans une lettre, une
# ligne dont la valeur manque est omise, et le lien est seul sur sa ligne.

letters-invitation-subject = Enregistrez la prononciation de votre nom : { $page }
letters-invitation-text =
    Bonjour { $name },

    Veuillez enregistrer la prononciation de votre nom pour { $page }. Cela prend environ une minute, dans votre navigateur, et vous pouvez la modifier à tout moment.

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.

    Ce lien est pour vous uniquement. Merci de ne pas le transmettre.
letters-reminder-subject = Rappel pour enregistrer votre nom : { $page }
letters-reminder-text =
    Bonjour { $name },

    Votre enregistrement pour { $page } manque encore. Cela prend environ une minute, dans votre navigateur.

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.

    Ce lien est pour vous uniquement. Merci de ne pas le transmettre.
letters-rejection-subject = Veuillez enregistrer à nouveau votre nom : { $page }
letters-rejection-text =
    Bonjour { $name },

    Votre enregistrement pour { $page } n’a pas été accepté. En voici la raison :

    { $reason }

    Vous pouvez enregistrer à nouveau votre nom :

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.
letters-request-subject = Quelqu’un souhaite entendre votre nom : { $page }
letters-request-text =
    Bonjour { $name },

    Quelqu’un sur { $page } souhaite prononcer correctement votre nom, et il n’y en a pas encore d’enregistrement. Cela prend environ une minute, dans votre navigateur.

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.

    Vous pouvez désactiver ce type de demande sur votre propre page, sous « Demandes d’enregistrement ».
letters-retention-subject = Les enregistrements seront supprimés : { $page }
letters-retention-text =
    Bonjour { $name },

    Les enregistrements de { $page } seront supprimés le { $date }, et le vôtre en fait partie. Vous n’avez rien à faire.

    Si vous souhaitez garder votre enregistrement, vous pouvez l’écouter et le télécharger jusque-là :

    { $link }
letters-button-record = Enregistrer votre nom
letters-button-page = Ouvrir la page
letters-why = { $institution } envoie ce message avec Endonym, pour que les noms soient prononcés correctement.
letters-stop = Pour ne plus recevoir de tels messages, ouvrez ce lien. Les messages que vous demandez pour vous connecter arriveront toujours.
letters-stop-link = Ne plus recevoir de tels messages
letters-stop-title = Messages au sujet des pages de noms
letters-stop-lead = { $institution } peut envoyer des messages au sujet des pages de noms à { $email } : invitations, rappels et ce qu’il advient des enregistrements.
letters-stop-what = Si vous les arrêtez, vous recevrez toujours les messages que vous demandez pour vous connecter. Vous pouvez modifier ce choix ici à tout moment.
letters-stop-button = Arrêter les messages
letters-stopped = { $institution } n’envoie plus de messages à { $email }. Vous recevrez toujours les messages que vous demandez pour vous connecter.
letters-start-lead = Était-ce une erreur ? Vous pouvez recevoir à nouveau les messages.
letters-start-button = Recevoir à nouveau les messages
letters-stop-unknown-title = Ce lien ne fonctionne pas
letters-stop-unknown = Veuillez vérifier que vous avez copié tout le lien du message.
letters-page-title = Messages
letters-page-lead = Ces textes servent pour toutes les pages de noms de { $institution }. Chaque message est dans la langue de la personne qui le reçoit.
letters-page-kind = Message
letters-page-language = Langue
letters-page-show = Afficher
letters-kind-invitation = Invitation
letters-kind-reminder = Rappel
letters-kind-rejection = Enregistrement non accepté
letters-kind-request = Demande d’un enregistrement
letters-kind-retention = Suppression des enregistrements
letters-page-built-in = Ce texte est fourni avec Endonym.
letters-page-own = Ce texte est le vôtre.
letters-page-unsaved = Ce texte n’est pas encore sauvegardé.
letters-page-outdated = Quelqu’un a modifié le texte pendant que vous écriviez, et rien de votre part n’est encore sauvegardé. Voici le sien. Sauvegardez à nouveau pour le remplacer.
letters-page-outdated-reset = Quelqu’un a rétabli le texte d’origine pendant que vous écriviez, et rien de votre part n’est encore sauvegardé. Voici le texte d’origine. Sauvegardez à nouveau pour le remplacer.
letters-page-not-reset = Quelqu’un a modifié le texte depuis que vous avez ouvert cette page, et le texte d’origine n’a pas été rétabli. Voici le sien. Pour le remplacer, choisissez à nouveau « Revenir au texte d’origine ».
letters-page-subject = Objet
letters-page-subject-help = Il peut contenir : { $placeholders }
letters-page-text = Texte
letters-page-text-help = Il peut contenir : { $placeholders }. Le lien doit s’y trouver. Une ligne dont la valeur manque est omise. Les lignes vides séparent les paragraphes.
letters-page-preview = Afficher l’aperçu
letters-page-reset = Revenir au texte d’origine
letters-page-preview-title = Aperçu
letters-page-test-title = Message de test
letters-page-test-lead = Le texte sauvegardé est envoyé, avec un contenu fictif, à { $email }.
letters-page-test = M’envoyer un message de test
letters-page-saved = Le texte est sauvegardé.
letters-page-was-reset = Le texte d’origine est de nouveau utilisé.
letters-page-tested = Le message de test est en route.
letters-fault-blank = Veuillez saisir un texte.
letters-fault-long = Le texte est trop long. Il peut avoir { $most } caractères.
letters-fault-characters = Le texte contient des caractères qui ne peuvent pas être envoyés.
letters-fault-unknown = { $placeholder } n’est pas une balise remplacée ici. Veuillez vérifier l’orthographe et les accolades.
letters-fault-missing = Le texte doit contenir { $placeholder }.
letters-sample-page = Page d’exemple
letters-sample-reason = Le son de l’enregistrement est trop faible.
