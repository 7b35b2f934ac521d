# Pages dans les plateformes d’apprentissage.

lti-course-title = { $course } : les noms et leur prononciation
lti-own-title = { $name } : la prononciation du nom
lti-time = { $day ->
        [1] 1er
       *[other] { $day }
    } { $month ->
        [1] janvier
        [2] février
        [3] mars
        [4] avril
        [5] mai
        [6] juin
        [7] juillet
        [8] août
        [9] septembre
        [10] octobre
        [11] novembre
       *[12] décembre
    } { $year } à { $time } ({ $zone })

# Le cours, pour l’équipe enseignante. why est un message de la plateforme ou du serveur, en anglais.
lti-sync-fetching = La liste est en cours de récupération depuis votre plateforme d’apprentissage.
lti-sync-running = Synchronisation en cours. Date de la liste : { $time }.
lti-sync-done = Synchronisé avec votre plateforme d’apprentissage le { $time }.
lti-sync-none = Pas encore synchronisé avec votre plateforme d’apprentissage.
lti-sync-fetch-failed = La liste n’a pas pu être récupérée : { $why }.
lti-sync-failed = Date de la liste : { $time }. La dernière synchronisation n’a pas fonctionné : { $why }.
lti-sync-ended = La synchronisation est terminée.
lti-sync-show = Afficher la nouvelle liste
lti-sync-again = Vérifier de nouveau
lti-sync-now = Synchroniser maintenant
lti-note = Tout n’est pas arrivé de votre plateforme d’apprentissage. La personne qui l’administre, ou celle qui gère ce site, peut voir pourquoi.
lti-own-why = Vos étudiants peuvent entendre comment se prononce votre nom.
lti-own-add = Ajouter votre nom
lti-own-change = Modifier votre fiche
lti-own-link = Votre nom
lti-find = Chercher un nom
lti-find-send = Chercher
lti-shown = Personnes affichées
lti-everybody = Tout le monde
lti-unrecorded = Pas encore enregistré
lti-first = Cela prend un instant. Les noms apparaîtront ici d’eux-mêmes.
lti-found =
    { $count ->
        [one] { $count } personne trouvée.
       *[other] { $count } personnes trouvées.
    }
lti-found-nobody = Personne ici ne s’appelle { $search }.
lti-show-everybody = Afficher tout le monde
lti-all-recorded = Tout le monde a enregistré son nom.
lti-nobody = Il n’y a encore personne dans ce cours.
lti-pages = Pages
lti-page = Page { $page } sur { $pages }
lti-back = Précédent
lti-next = Suivant
lti-staff = Équipe enseignante de ce cours

# Sa propre fiche.
lti-play-own = Écouter votre enregistrement
lti-only-here = Seulement pour ce cours
lti-only-here-hint = Sinon, votre enregistrement est utilisé dans tous vos cours.
lti-is-only-here = Vous l’avez enregistré pour ce cours seulement.
lti-called = Vous allez bientôt recevoir un appel. Dites votre nom quand on vous le demandera.
lti-called-at = Vous allez recevoir un appel au { $number }. Dites votre nom quand on vous le demandera.
lti-saved = C’est sauvegardé.
lti-delete-explained = Votre enregistrement sera retiré de ce cours et son lien ne fonctionnera plus. Cette action est définitive. Vous pourrez enregistrer de nouveau votre nom à tout moment.
lti-withdraw-explained = Votre enregistrement est supprimé et l’appel que vous attendez est annulé. Pour enregistrer de nouveau votre nom, il suffit d’accepter à nouveau.
lti-own-page = Votre propre page : qui peut entendre votre enregistrement, votre photo et tout le reste
lti-own-page-hint = Elle s’ouvre dans un nouvel onglet. Il faudra peut-être vous y connecter.
lti-another-number = Un autre numéro de téléphone
lti-signed-out = Votre session est terminée : rouvrez cette page depuis votre cours, dans un autre onglet, et enregistrez-y votre nom. En attendant, votre enregistrement reste ici.

# Ajouter un lien à un cours.
lti-link-title = Ajouter un lien à votre cours
lti-link-lead = L’équipe enseignante y trouvera le nom de chaque personne, avec son enregistrement. Les étudiants y trouveront leur propre nom, pour l’enregistrer.
lti-link-label = Titre du lien
lti-link-default = Les noms et leur prononciation
lti-link-add = Ajouter
lti-link-cancel = Annuler
lti-return-title = Retour à votre cours
lti-return-link = Le lien est transmis à votre plateforme d’apprentissage.
lti-return-none = Rien n’est ajouté à votre cours.
lti-return-press = Si rien ne se passe, appuyez sur le bouton.

# Inscription d’une plateforme d’apprentissage, pour son administration.
lti-register-link-title = Donnez ce lien à votre plateforme d’apprentissage
lti-register-link = Ce lien est destiné à votre plateforme d’apprentissage : collez-le comme URL d’inscription à l’endroit où l’on ajoute un nouvel outil LTI.
lti-register-link-where = Dans Moodle : Administration du site, Plugins, Outil externe, Gérer les outils. Ailleurs, cherchez l’inscription dynamique.
lti-registered-title = Inscription réussie
lti-registered = { $name } est inscrit, avec l’identifiant { $id }.
lti-registered-activate = Il faut peut-être encore activer l’outil dans votre plateforme d’apprentissage avant de pouvoir l’utiliser.
lti-registered-unconfirmed = Personne ne peut entrer tant que la personne qui gère ce site ne l’a pas confirmée avec { $command }.
lti-updated-title = Mise à jour réussie
lti-updated = { $name } est à jour, avec l’identifiant { $id }.
lti-updated-kept = Tout ce qui était réglé ici reste inchangé.
lti-no-deployment = Votre plateforme d’apprentissage n’a pas envoyé son identifiant de déploiement. La personne qui gère ce site l’ajoute avec { $command } et l’identifiant affiché par votre plateforme.

# Ce que l’on peut faire.
lti-reopen = Veuillez rouvrir cette page depuis votre cours.
lti-contact = Si cela ne suffit pas, veuillez prévenir l’administration de votre plateforme d’apprentissage.
lti-tell = Veuillez prévenir l’administration de votre plateforme d’apprentissage.
lti-go-back = Vous pouvez revenir à votre cours.

# Refus.
lti-too-large = Ce qui a été envoyé est trop volumineux.
lti-too-slow = Ce qui a été envoyé a mis trop de temps à arriver.
lti-incomplete-title = Rien à ouvrir
lti-incomplete = Cette adresse est destinée aux plateformes d’apprentissage, qui envoient plus que ce qui est arrivé ici.
lti-unknown-platform-title = Cette plateforme d’apprentissage n’est pas connue ici
lti-unknown-platform = Elle n’a pas été inscrite, ou son émetteur (issuer) et son identifiant client ne sont pas ceux qui ont été inscrits. Ou bien elle utilise une autre adresse de ce site que celle qui lui a été indiquée.
lti-disabled-title = Cette connexion est désactivée
lti-disabled = La connexion entre votre plateforme d’apprentissage et ce site a été désactivée.
lti-unconfirmed-title = Cette connexion n’est pas encore confirmée
lti-unconfirmed = Il n’est pas encore certain que la plateforme d’apprentissage soit celle qu’elle prétend être. Tant que ce n’est pas confirmé, personne ne peut entrer.
lti-foreign-title = Ce lien mène ailleurs
lti-foreign = Le lien de votre cours mène à une adresse qui n’appartient pas à ce site.
lti-used-title = Cette page a déjà été ouverte
lti-used = Chaque ouverture depuis votre cours fonctionne une seule fois, pendant quelques minutes.
lti-browser-title = Votre navigateur empêche cette page de fonctionner ici
lti-browser = Il ne permet pas à ce site de garder un cookie dans la page de votre plateforme d’apprentissage. Nous ne pouvons donc pas savoir si c’est bien vous qui l’avez ouverte.
lti-browser-window = Elle fonctionne dans une autre fenêtre.
lti-platform-title = Votre plateforme d’apprentissage a refusé l’accès
lti-platform = Son message : { $said }
lti-no-keys-title = Votre plateforme d’apprentissage est injoignable pour le moment
lti-no-keys = Ses clés publiques, qui servent à vérifier ses messages, ne peuvent pas être récupérées.
lti-deployment-title = Ce déploiement n’est pas connu ici
lti-deployment = Votre plateforme d’apprentissage l’appelle { $deployment }.
lti-deployment-add = La personne qui gère ce site peut l’ajouter avec { $command }.
lti-no-links-title = Aucun lien ne peut être ajouté ici
lti-no-links = Votre plateforme d’apprentissage demande autre chose qu’un lien.
lti-untrusted-title = Cette page ne peut pas être ouverte
lti-untrusted = Ce que votre plateforme d’apprentissage a envoyé n’est pas conforme : nous ne pouvons pas nous y fier.
lti-no-course-title = Ceci n’est pas un cours
lti-no-course = Les pages d’ici font partie de cours, et le lien a été ouvert en dehors d’un cours.
lti-no-part-title = Il n’y a rien ici que vous ayez à faire
lti-no-part = Ces pages sont destinées aux personnes qui enseignent dans un cours ou qui le suivent.
lti-preview-title = Vous voyez cette page telle que la voient les étudiants
lti-preview = Les étudiants de ce cours trouvent ici leur propre nom, pour l’écouter, écrire comment il se prononce et l’enregistrer.
lti-preview-unlisted = Votre nom n’est pas ajouté à la liste des étudiants.
lti-anonymous-title = Votre plateforme d’apprentissage ne dit pas qui vous êtes
lti-anonymous = Sans cela, votre nom ne peut pas être affiché.
lti-closed-title = Cette page est fermée
lti-closed = Elle est restée ouverte plusieurs heures ou a été ouverte dans un autre navigateur.
lti-invite-title = Cette invitation ne peut pas être utilisée
lti-invite = Les plateformes d’apprentissage s’inscrivent avec un lien qui fonctionne une seule fois, pendant sept jours. La personne qui gère ce site en crée un avec { $command }.
lti-registration-title = L’inscription n’a pas fonctionné
lti-registration = Raison : { $why }.
lti-registration-again = Le lien peut être utilisé de nouveau.
lti-too-many-title = Trop de pages à la fois
lti-too-many = Plus de pages ont été ouvertes depuis votre réseau qu’il n’est possible à la fois. Veuillez réessayer dans une minute.
