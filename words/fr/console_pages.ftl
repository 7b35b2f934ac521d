# The console: name pages, moderation and custom fields.

console-pages-search = Rechercher par titre ou adresse
console-pages-state = État
console-pages-any = Ouvertes et fermées
console-pages-show = Afficher
console-pages-new = Nouvelle page de noms
console-pages-none = Il n’y a pas encore de pages de noms. Créez la première, puis invitez-y des personnes.
console-pages-none-found = Aucune page de noms ne correspond.
console-pages-none-given = Aucune page de noms ne vous est encore confiée. Une personne propriétaire de votre établissement peut le faire.
console-pages-more = Pages de noms plus anciennes
console-pages-start = Retour aux plus récentes

console-page-title = Titre
console-page-title-hint = Par exemple « Promotion 2027 ».
console-page-date = Date
console-page-date-hint = Le jour de la cérémonie ou du premier cours. Ce champ peut rester vide.
console-page-people = Personnes
console-page-recorded = Avec enregistrement
console-page-invited = Avec invitation
console-page-open = Ouverte
console-page-closed = Fermée
console-page-archived = Archivée
console-page-slug = Adresse
console-page-slug-hint = La fin de l’adresse de la page : lettres minuscules, chiffres et traits d’union. Si ce champ est vide, elle est tirée du titre.
console-page-access-code = Code d’accès
console-page-access-code-hint = Pour les programmes qui utilisent d’anciennes versions de l’API. Si ce champ est vide, un code est créé.
console-page-create = Créer la page de noms
console-page-created = La page de noms est créée. Vérifiez maintenant ses paramètres et invitez des personnes.
console-page-saved = Les paramètres sont sauvegardés.
console-page-copied = Voici la copie. Vérifiez sa date et son heure de fermeture.
console-page-copied-people = Voici la copie. Les personnes suivent dans quelques minutes. Vérifiez sa date et son heure de fermeture.
console-page-was-archived = La page de noms est archivée.
console-page-was-restored = La page de noms n’est plus archivée.
console-page-deleted = La page de noms est supprimée.
console-page-print = Imprimer les noms
console-page-archived-note = Cette page est archivée. Ses paramètres peuvent être modifiés après sa restauration.
console-page-basics = À propos de la page
console-page-description = Description
console-page-description-hint = Ce que l’on lit en visitant la page.
console-page-registering = Inscription
console-page-register = Qui peut s’inscrire

console-register-invited = Les personnes invitées
console-register-domain = Les personnes dont l’adresse e-mail appartient à l’un des domaines ci-dessous
console-register-code = Les personnes qui connaissent le code de l’événement
console-register-open = Tout le monde

console-page-domains = Domaines
console-page-domains-hint = Un par ligne, comme example.edu, ou *.example.edu pour ses sous-domaines.
console-page-closes = Heure de fermeture
console-page-closes-hint = À partir de là, plus personne ne peut s’inscrire ni enregistrer. Dans le fuseau horaire { $zone }. Ce champ peut rester vide.
console-page-asked = Ce qui est demandé

console-asked-name = Nom
console-asked-pronouns = Pronoms
console-asked-off = Non demandé
console-asked-optional = Facultatif
console-asked-required = Obligatoire
console-asked-default = Comme l’indique le champ personnalisé

console-page-listening = Écoute
console-page-listen = Qui peut écouter

console-listen-managers = Seulement les responsables de la page et les personnes autorisées à l’écouter
console-listen-registered = Également les personnes qui y sont inscrites
console-listen-institution = Également les personnes de l’établissement qui se sont connectées
console-listen-link = Toute personne qui a le lien

console-page-moderation = Nouveaux enregistrements

console-moderation-off = Sont audibles immédiatement
console-moderation-hold = Attendent l’approbation d’une personne responsable de la page

console-page-recordings = Enregistrements
console-page-take = Durée maximale d’un enregistrement, en secondes
console-page-take-hint = Si ce champ est vide, la limite de cette installation s’applique.
console-page-days = Supprimer les enregistrements ce nombre de jours après la date
console-page-days-hint = Les personnes en sont averties 14 jours avant. Si ce champ est vide, les enregistrements sont conservés.
console-page-deletes = Les enregistrements sont supprimés le { $date }.
console-page-api = Version 2 de l’API
console-page-v2 = Répondre aux programmes qui connaissent le code d’accès
console-page-v2-hint = Toute personne qui connaît le code peut alors lire, sans jeton, les noms, les adresses e-mail et les enregistrements de toutes les personnes de cette page. Traitez ce code comme un mot de passe.
console-page-acts = Copier, archiver, supprimer
console-page-archive = Archiver
console-page-restore = Restaurer
console-page-archive-hint = Une page archivée n’accepte ni inscriptions ni enregistrements, n’envoie pas de rappels et peut être restaurée à tout moment.
console-page-copy = Copier la page de noms
console-page-copy-lead = La copie a les mêmes paramètres et textes, demande les mêmes champs et est gérée par les mêmes personnes. Elle a ses propres codes.
console-page-copy-people = Copier aussi les personnes
console-page-copy-people-hint = Toutes celles qui ont une adresse e-mail, sans enregistrements ni photos. Personne ne reçoit de message ni d’appel.
console-page-copy-now = Créer la copie
console-page-delete = Supprimer la page de noms
console-page-delete-lead = Cela supprime la page et tout ce qu’elle contient. C’est irréversible. Pour seulement y mettre fin, archivez-la.
console-page-delete-people = Personnes supprimées avec elle : { $count }
console-page-delete-recordings = Enregistrements supprimés avec elle : { $count }
console-page-delete-now = Supprimer définitivement

console-moderation-lead = Ce qui attend une approbation et ce qui a été signalé, sur toutes les pages de noms que vous gérez.

console-fields-lead = Les champs personnalisés sont ce que votre établissement demande en plus du nom. Les programmes les lisent et les écrivent par l’API comme du texte simple, quel que soit leur type.
console-fields-none = Il n’y a pas encore de champs personnalisés. Créez le premier ci-dessous, par exemple pour les pronoms ou le diplôme.
console-fields-new = Nouveau champ personnalisé

console-field-label = Libellé
console-field-label-hint = Ce que lisent les personnes, par exemple « Pronoms ».
console-field-name = Nom interne
console-field-name-hint = Ce qu’utilisent les programmes : lettres minuscules, chiffres et tirets bas, comme gender_pronouns. Il ne peut pas être modifié ensuite.
console-field-import-key = Clé dans les importations et les requêtes
console-field-kind = Type

console-kind-text = Texte
console-kind-long-text = Texte long
console-kind-choice = Un choix
console-kind-choices = Plusieurs choix
console-kind-yes-no = Oui ou non

console-field-options = Ce que l’on peut choisir
console-field-options-hint = Pour les choix seulement : un par ligne, sans point-virgule. Les valeurs existantes restent si vous modifiez ceci.
console-field-edited-by = Qui peut le modifier

console-edited-by-person = La personne elle-même
console-edited-by-staff = Seulement le personnel. Quand une page le demande, les personnes répondent une fois.

console-field-asked = Sur toutes les pages de noms
console-field-on-badge = Afficher sur les badges
console-field-on-badge-hint = Toute personne qui a le lien vers un badge peut le lire. Les pronoms sont toujours affichés.
console-field-order = Ordre
console-field-up = Monter { $field }
console-field-down = Descendre { $field }
console-field-create = Créer le champ personnalisé
console-field-created = Le champ personnalisé est créé.
console-field-saved = Le champ personnalisé est sauvegardé.
console-field-deleted = Le champ personnalisé est supprimé.
console-field-pages = Pages de noms avec leur propre réglage
console-field-pages-lead = Ces pages indiquent elles-mêmes si elles demandent ce champ. Les autres suivent le choix ci-dessus.
console-field-pages-none = Aucune page de noms n’a de réglage propre pour ce champ.
console-field-page = Page de noms
console-field-page-hint = La fin de son adresse ou son code d’événement.
console-field-how = Comment cette page le demande
console-field-delete = Supprimer le champ personnalisé
console-field-delete-lead = Cela supprime le champ et toutes ses valeurs, sur les pages et dans l’API. C’est irréversible.
console-field-values = Personnes ayant une valeur : { $count }
console-field-values-partial = Personnes ayant une valeur, parmi les { $people } plus récentes : { $count }
console-field-delete-now = Supprimer définitivement

console-set-outdated = Une autre personne a modifié ceci depuis que vous l’avez ouvert, et rien n’a été sauvegardé. Votre saisie est toujours là. Là où elle diffère de ce qui est sauvegardé, c’est indiqué sous le champ. Sauvegardez à nouveau pour utiliser votre saisie.
console-set-now = Actuellement sauvegardé : { $value }
console-set-now-nothing = Rien n’est sauvegardé ici actuellement.
console-set-rejected = Rien n’a encore été sauvegardé. Veuillez vérifier les champs signalés.
console-set-type-title = Saisissez le titre pour confirmer : { $title }
console-set-type-name = Saisissez le nom interne pour confirmer : { $name }
console-set-fault-typed = Ce n’est pas identique. Rien n’a été supprimé.
console-set-fault-taken = C’est déjà pris. Veuillez choisir autre chose.
console-set-fault-slug = Utilisez seulement des lettres minuscules, des chiffres et des traits d’union, sans trait d’union au début ni à la fin.
console-set-fault-code = Utilisez au plus 100 caractères visibles, sans espaces.
console-set-fault-code-short = Utilisez au moins 8 caractères.
console-set-fault-field-name = Commencez par une lettre et utilisez seulement des lettres minuscules, des chiffres et des tirets bas.
console-set-fault-reserved = Il existe déjà un champ appelé { $name }. Veuillez choisir un autre nom.
console-set-fault-date = Ce n’est pas une date. Elle doit être de la forme 2027-05-31.
console-set-fault-date-needed = Indiquez une date : les enregistrements doivent être supprimés quelques jours après.
console-set-fault-closing = Ce n’est pas une date avec une heure. Elle doit être de la forme 2027-05-31 18:00.
console-set-fault-domain = { $domain } n’est pas un domaine. Il doit être de la forme example.edu.
console-set-fault-domains-needed = Indiquez au moins un domaine ou choisissez qui d’autre peut s’inscrire.
console-set-fault-many = C’est trop. Utilisez-en au plus { $most }.
console-set-fault-range = Saisissez un nombre de { $least } à { $most }.
console-set-fault-options = Saisissez ce que l’on peut choisir, un choix par ligne.
console-set-fault-option = { $option } contient un point-virgule, qui sépare les choix. Veuillez l’enlever.
console-set-fault-page = Cette page de noms n’existe pas. Veuillez vérifier son adresse.
