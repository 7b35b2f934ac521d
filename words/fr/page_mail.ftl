# Lettres au sujet des pages de noms, la page où un établissement les modifie et celle où l’on cesse de les recevoir. Dans une lettre, une
# ligne dont la valeur manque est omise, et le lien est seul sur sa ligne.

page-mail-invitation-subject = Enregistrez la prononciation de votre nom : { $page }
page-mail-invitation-text =
    Bonjour { $name },

    Veuillez enregistrer la prononciation de votre nom pour { $page }. Cela prend environ une minute, dans votre navigateur, et vous pouvez la modifier à tout moment.

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.

    Ce lien est pour vous uniquement. Merci de ne pas le transmettre.
page-mail-reminder-subject = Rappel pour enregistrer votre nom : { $page }
page-mail-reminder-text =
    Bonjour { $name },

    Votre enregistrement pour { $page } manque encore. Cela prend environ une minute, dans votre navigateur.

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.

    Ce lien est pour vous uniquement. Merci de ne pas le transmettre.
page-mail-rejection-subject = Veuillez enregistrer à nouveau votre nom : { $page }
page-mail-rejection-text =
    Bonjour { $name },

    Votre enregistrement pour { $page } n’a pas été accepté. En voici la raison :

    { $reason }

    Vous pouvez enregistrer à nouveau votre nom :

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.
page-mail-entry-rejection-subject = Veuillez revoir votre fiche : { $page }
page-mail-entry-rejection-text =
    Bonjour { $name },

    Votre fiche pour { $page } n’a pas été acceptée, donc les autres ne la voient pas. En voici la raison :

    { $reason }

    Vous pouvez la modifier ici :

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.
page-mail-request-subject = Quelqu’un souhaite entendre votre nom : { $page }
page-mail-request-text =
    Bonjour { $name },

    Quelqu’un sur { $page } souhaite prononcer correctement votre nom, et il n’y en a pas encore d’enregistrement. Cela prend environ une minute, dans votre navigateur.

    { $link }

    L’enregistrement est possible jusqu’au { $closes }.

    Vous pouvez désactiver ce type de demande sur votre propre page, sous « Demandes d’enregistrement ».
page-mail-retention-subject = Les enregistrements seront supprimés : { $page }
page-mail-retention-text =
    Bonjour { $name },

    Les enregistrements de { $page } seront supprimés le { $date }, et le vôtre en fait partie. Vous n’avez rien à faire.

    Si vous souhaitez garder votre enregistrement, vous pouvez l’écouter et le télécharger jusque-là :

    { $link }
page-mail-button-record = Enregistrer votre nom
page-mail-button-page = Ouvrir la page
page-mail-why = { $institution } envoie ce message avec Endonym, pour que les noms soient prononcés correctement.
page-mail-stop = Pour ne plus recevoir de tels messages, ouvrez ce lien. Les messages que vous demandez pour vous connecter arriveront toujours.
page-mail-stop-link = Ne plus recevoir de tels messages
page-mail-stop-title = Messages au sujet des pages de noms
page-mail-stop-lead = { $institution } peut envoyer des messages au sujet des pages de noms à { $email } : invitations, rappels et ce qu’il advient des enregistrements.
page-mail-stop-what = Si vous les arrêtez, vous recevrez toujours les messages que vous demandez pour vous connecter. Vous pouvez modifier ce choix ici à tout moment.
page-mail-stop-button = Arrêter les messages
page-mail-stopped = { $institution } n’envoie plus de messages à { $email }. Vous recevrez toujours les messages que vous demandez pour vous connecter.
page-mail-start-lead = Était-ce une erreur ? Vous pouvez recevoir à nouveau les messages.
page-mail-start-button = Recevoir à nouveau les messages
page-mail-stop-unknown-title = Ce lien ne fonctionne pas
page-mail-stop-unknown = Veuillez vérifier que vous avez copié tout le lien du message.
page-mail-page-title = Messages
page-mail-page-lead = Ces textes servent pour toutes les pages de noms de { $institution }. Chaque message est dans la langue de la personne qui le reçoit.
page-mail-page-kind = Message
page-mail-page-language = Langue
page-mail-page-show = Afficher
page-mail-kind-invitation = Invitation
page-mail-kind-reminder = Rappel
page-mail-kind-rejection = Enregistrement non accepté
page-mail-kind-entry-rejection = Fiche non acceptée
page-mail-kind-request = Demande d’un enregistrement
page-mail-kind-retention = Suppression des enregistrements
page-mail-page-built-in = Ce texte est fourni avec Endonym.
page-mail-page-own = Ce texte est le vôtre.
page-mail-page-unsaved = Ce texte n’est pas encore sauvegardé.
page-mail-page-outdated = Quelqu’un a modifié le texte pendant que vous écriviez, et rien de votre part n’est encore sauvegardé. Voici le sien. Sauvegardez à nouveau pour le remplacer.
page-mail-page-outdated-reset = Quelqu’un a rétabli le texte d’origine pendant que vous écriviez, et rien de votre part n’est encore sauvegardé. Voici le texte d’origine. Sauvegardez à nouveau pour le remplacer.
page-mail-page-not-reset = Quelqu’un a modifié le texte depuis que vous avez ouvert cette page, et le texte d’origine n’a pas été rétabli. Voici le sien. Pour le remplacer, choisissez à nouveau « Revenir au texte d’origine ».
page-mail-page-subject = Objet
page-mail-page-subject-help = Il peut contenir : { $placeholders }
page-mail-page-text = Texte
page-mail-page-text-help = Il peut contenir : { $placeholders }. Le lien doit s’y trouver. Une ligne dont la valeur manque est omise. Les lignes vides séparent les paragraphes.
page-mail-page-preview = Afficher l’aperçu
page-mail-page-reset = Revenir au texte d’origine
page-mail-page-preview-title = Aperçu
page-mail-page-test-title = Message de test
page-mail-page-test-lead = Le texte sauvegardé est envoyé, avec un contenu fictif, à { $email }.
page-mail-page-test = M’envoyer un message de test
page-mail-page-saved = Le texte est sauvegardé.
page-mail-page-was-reset = Le texte d’origine est de nouveau utilisé.
page-mail-page-tested = Le message de test est en route.
page-mail-fault-blank = Veuillez saisir un texte.
page-mail-fault-long = Le texte est trop long. Il peut avoir { $most } caractères.
page-mail-fault-characters = Le texte contient des caractères qui ne peuvent pas être envoyés.
page-mail-fault-unknown = { $placeholder } n’est pas une balise remplacée ici. Veuillez vérifier l’orthographe et les accolades.
page-mail-fault-missing = Le texte doit contenir { $placeholder }.
page-mail-sample-page = Page d’exemple
page-mail-sample-reason = Le son de l’enregistrement est trop faible.
