# The console: people.

console-people-search = Nom, e-mail ou identifiant
console-people-search-send = Afficher
console-people-reset = Afficher tout le monde
console-people-filters = Filtres
console-people-page = Page de noms
console-people-any = Indifférent
console-people-field = Champ personnalisé
console-people-value = Valeur du champ
console-people-sort = Ordre
console-people-sort-name = Par nom
console-people-sort-changed = Modification la plus récente d’abord
console-people-sort-recorded = Enregistrement le plus récent d’abord (enregistrés seulement)
console-people-recorded = Enregistré
console-people-unrecorded = Pas enregistré
console-people-waiting = En attente d’approbation
console-people-paused = En pause
console-people-invited-yes = Avec invitation
console-people-invited-no = Sans invitation
console-people-phone-yes = Avec un numéro
console-people-phone-no = Sans numéro
console-people-count =
    { $count ->
        [one] { $count } personne
       *[other] { $count } personnes
    }
console-people-cut-walked = Personnes examinées jusqu’ici : { $count }. La partie suivante continue à partir de là.
console-people-cut-found = Trop de personnes correspondent ; seule une partie est affichée (limite : { $count }). Saisissez davantage du nom pour en trouver d’autres.
console-people-building = La recherche est en cours de mise à jour. Certaines personnes peuvent manquer pendant quelques minutes.
console-people-nobody-found = Personne ne correspond. Essayez avec moins de lettres ou un autre filtre.
console-people-nobody = Il n’y a encore personne. Créez d’abord une page de noms, puis importez-y un fichier ou invitez des personnes.
console-people-to-pages = Pages de noms
console-people-name = Nom
console-people-without-name = Sans nom
console-people-changed = Dernière modification
console-people-selected = Sélection
console-people-select = Sélectionner { $name }
console-people-select-all = Sélectionner toutes les personnes de cette partie de la liste
console-people-with-selected = Avec les personnes sélectionnées
console-people-everybody = Toutes les personnes qui correspondent, pas seulement celles sélectionnées
console-people-first = Première partie
console-people-next = Partie suivante
console-people-undo = Annuler cette action
console-people-cancel = Annuler
console-people-choose = Veuillez choisir
console-people-invite = Inviter
console-people-invite-lead = Elles reçoivent un message avec un lien personnel. Les personnes qui ont déjà enregistré, ne veulent pas d’e-mails ou ont une invitation valable sont laissées de côté.
console-people-remind = Relancer
console-people-remind-lead = Les personnes invitées par e-mail qui n’ont pas enregistré reçoivent un rappel : trois au maximum en tout, et au moins un jour après le dernier message.
console-people-move = Déplacer vers une autre page de noms
console-people-move-lead = Les enregistrements et les liens ne changent pas. Les personnes d’un cours restent là où la plateforme d’apprentissage les a placées.
console-people-move-choose = Veuillez choisir une page de noms.
console-people-tag = Remplir un champ personnalisé
console-people-tag-choose = Veuillez choisir un champ personnalisé.
console-people-tag-hint = Laissez vide pour effacer le champ.
console-people-merge = Fusionner deux fiches d’une personne
console-people-merge-two = Revenez en arrière et sélectionnez exactement deux personnes à fusionner.
console-people-delete-many = Supprimer des personnes
console-people-delete-lead =
    { $days ->
        [one] Elles disparaissent de toutes les listes, et leurs liens ne fonctionnent plus. Vous pouvez annuler cela pendant { $days } jour.
       *[other] Elles disparaissent de toutes les listes, et leurs liens ne fonctionnent plus. Vous pouvez annuler cela pendant { $days } jours.
    }
console-people-delete-number = Pour confirmer, saisissez le nombre de personnes : { $count }
console-people-delete-wrong = Ce n’est pas le nombre de personnes.
console-people-bulk-count =
    { $count ->
        [one] Cela concerne { $count } personne.
       *[other] Cela concerne { $count } personnes.
    }
console-people-bulk-cut = Plus de personnes correspondent qu’il n’est possible d’en traiter à la fois. Répétez ensuite l’opération pour les autres.
console-people-bulk-nobody = Personne n’est sélectionné. Revenez en arrière et sélectionnez d’abord des personnes.
console-people-bulk-no-mail = Aucun serveur de messagerie n’est configuré ici. Sur une page de noms, vous pouvez distribuer des liens personnels sous « Invitations ».
console-people-task-progress = Fait : { $done } sur { $total }
console-people-task-done = Terminé.
console-people-task-failed = L’opération n’a pas pu être terminée. Ce qui a été fait reste fait ; les autres fiches n’ont pas changé.
console-people-outcome-done = Fait
console-people-outcome-unchanged = Rien à faire
console-people-outcome-gone = N’est plus là
console-people-outcome-taken = Une personne avec le même e-mail ou identifiant s’y trouve déjà
console-people-outcome-without-email = Pas d’e-mail
console-people-outcome-recorded = A déjà enregistré
console-people-outcome-unreachable = Ne veut pas d’e-mails, ou l’adresse ne fonctionne pas
console-people-outcome-not-invited = Sans invitation par e-mail
console-people-outcome-just-written = A reçu un message récemment, ou tous les rappels
console-people-outcome-in-course = Fait partie d’un cours
console-people-outcome-closed = La page de noms est fermée ou archivée
console-people-edit = Modifier la fiche
console-people-badge = Badge
console-people-listen = Page d’écoute
console-people-delete = Supprimer la fiche
console-people-delete-title = Supprimer { $name } ?
console-people-audience-institution = Personnes de l’établissement
console-people-recording = Enregistrement
console-people-recordings = Enregistrements
console-people-legal-recording = Enregistrement du nom d’état civil
console-people-removed = Non accepté
console-people-paused-lead = La personne a mis ses enregistrements en pause ; personne ne peut donc les entendre.
console-people-hold = Liste rouge
console-people-hold-lead = Le public n’apprend rien sur cette personne. Seules les personnes qui gèrent cette page, y écoutent ou y enseignent entendent le nom, après connexion.
console-people-hold-hint = Pour les personnes qui ont demandé à ne figurer dans aucun annuaire (FERPA). Cela vaut pour toutes les pages de noms de la personne.
console-people-hold-yes = Oui : ne rien dire au public
console-people-hold-no = Non
console-people-hold-elsewhere = Seule une personne propriétaire ou admin peut y mettre fin : la personne figure aussi sur d’autres pages de noms.
console-people-no-recording = Il n’y a pas encore d’enregistrement.
console-people-record = Enregistrer ou importer
console-people-record-lead = Ne le faites que pour une personne qui a donné son accord. Cela remplace l’enregistrement actuel.
console-people-record-ready = Appuyez sur le bouton et dites le nom.
console-people-photo = Une photo de la personne
console-people-photo-send = Importer la photo
console-people-calls = Appels
console-people-no-calls = Il n’y a pas eu d’appels.
console-people-call = Appeler cette personne
console-people-called-soon = Cette personne sera bientôt appelée.
console-people-call-scheduled = Prévu
console-people-call-active = En cours
console-people-call-no-answer = Pas de réponse
console-people-call-busy = Occupé
console-people-call-failed = N’a pas fonctionné
console-people-call-canceled = Annulé
console-people-no-messages = Il n’y a pas de messages.
console-people-to-invitations = Invitations de cette page de noms
console-people-mail-sign-in = E-mail de connexion
console-people-mail-queued = En attente d’envoi
console-people-mail-sent = Envoyé
console-people-mail-failed = Refusé par le serveur de messagerie
console-people-mail-unconfirmed = Peut-être envoyé
console-people-mail-expired = Pas envoyé à temps
console-people-others = Autres fiches de cette personne
console-people-history = Historique
console-people-no-history = Le journal d’audit ne contient rien sur cette fiche.
console-people-all-changes = Toutes les modifications des données de cette personne
console-people-merge-with = Fusionner avec cette fiche
console-people-done-saved = La fiche est sauvegardée.
console-people-done-recorded = Le fichier est sauvegardé.
console-people-done-called = L’appel est prévu.
console-people-done-merged = Les deux fiches sont fusionnées.
console-people-done-restored = La fiche est restaurée.
console-people-done-deleted = La fiche est supprimée.
console-people-edit-fixed = L’e-mail et l’identifiant désignent la fiche et ne peuvent pas être modifiés ici.
console-people-edit-course = Une plateforme d’apprentissage fournit les noms de cette personne et peut les modifier à nouveau.
console-people-edit-changed = Une autre personne a modifié cette fiche entre-temps. Votre saisie est toujours là ; les champs qui diffèrent indiquent la valeur actuelle. Sauvegardez à nouveau pour la remplacer.
console-people-edit-theirs = Valeur actuelle : { $value }
console-people-deleted = Supprimées récemment
console-people-deleted-none =
    { $days ->
        [one] Personne n’a été supprimé depuis { $days } jour.
       *[other] Personne n’a été supprimé depuis { $days } jours.
    }
console-people-deleted-by = Supprimée par
console-people-purged-on = Supprimée définitivement le
console-people-restore = Restaurer
console-people-restore-taken = Une personne avec le même e-mail ou identifiant s’y trouve maintenant. Supprimez d’abord cette fiche.
console-people-merge-lead = La fiche conservée reprend de l’autre ce qui lui manque. Ensuite, l’autre est supprimée définitivement.
console-people-merge-field = Champ
console-people-merge-kept = Fiche conservée
console-people-merge-other = Autre fiche
console-people-merge-result = Résultat
console-people-merge-send = Fusionner
console-people-merge-swap = Conserver plutôt l’autre fiche
console-people-merge-email = Les deux fiches ont des e-mails différents. Celui-ci est abandonné : { $email }
console-people-merge-changed = L’une des fiches a changé entre-temps. Veuillez vérifier à nouveau.
console-people-merge-course = Une plateforme d’apprentissage a besoin de l’autre fiche, car elle fait partie d’un cours. Conservez plutôt celle-là.
console-people-refused = Désactivées par un annuaire
console-people-refused-about = Un annuaire a désactivé ou supprimé ces personnes. Elles ne peuvent revenir ni avec une invitation ni en s’inscrivant, tant que l’annuaire ne les a pas réactivées ou que vous ne les avez pas réadmises.
console-people-refused-none = Personne n’est désactivé.
console-people-refused-since = Depuis
console-people-readmit = Réadmettre
console-people-readmitted = Cette personne peut de nouveau être invitée. Envoyez-lui une nouvelle invitation.
console-people-merge-admin = Ces fiches ont des adresses e-mail différentes : il peut s’agir de deux personnes. Seul un propriétaire ou un administrateur peut les fusionner.
console-people-merge-paused = La personne de l’autre fiche a mis ses enregistrements en pause ou retiré son consentement, et elle a une autre adresse e-mail. Les deux fiches ne peuvent pas être fusionnées.
console-messages-notice = Avis de modification des données
