# The console: members and audit.

console-members-lead = Les membres gèrent les pages de noms de l’établissement ou les écoutent. La connexion est la même que pour tout le monde.
console-members-add = Ajouter un membre
console-members-owners-only = Seules les personnes propriétaires peuvent ajouter, modifier et retirer des membres.
console-members-none = Personne n’a encore de rôle. Ajoutez-vous d’abord, avec le rôle « Propriétaire ».
console-members-email = Adresse e-mail
console-members-email-hint = La personne se connecte avec cette adresse.
console-members-email-fault = Cette adresse e-mail ne peut pas être utilisée. Veuillez la vérifier.
console-members-known = Cette personne est déjà membre. Vous pouvez modifier son rôle dans la liste.
console-members-role = Rôle
console-members-since = Depuis
console-members-act = Actions
console-members-change = Modifier
console-members-change-title = Modifier un membre
console-members-you = Vous
console-members-only-owner = la seule personne avec ce rôle
console-members-first = Au début
console-members-back = Retour aux membres
console-members-owner = Propriétaire
console-members-owner-hint = Peut tout faire, sur toutes les pages.
console-members-admin = Admin
console-members-admin-hint = Peut tout faire, sauf modifier les membres, configurer l’authentification unique et les annuaires, fixer la durée de conservation du journal d’audit et supprimer l’établissement.
console-members-manager = Responsable
console-members-manager-hint = Gère les pages choisies : personnes, invitations, modération, exports.
console-members-reader = Auditeur ou auditrice
console-members-reader-hint = Écoute les noms des pages choisies, et rien d’autre.
console-members-all-pages = Toutes
console-members-no-pages = Aucune
console-members-more-pages = { $count ->
    [one] et { $count } autre
   *[other] et { $count } autres
}
console-members-pages-now = { $count ->
    [one] { $count } page de noms
   *[other] { $count } pages de noms
}
console-members-pages-hint = Pour les responsables, les auditeurs et les auditrices. Les propriétaires et les admins ont toutes les pages.
console-members-pages-many = C’est trop de pages (la limite est de { $most }). Donnez plutôt à la personne le rôle « Admin ».
console-members-page-unknown = L’une de ces pages n’existe plus, ou son code est mal saisi.
console-members-more = Autres pages
console-members-more-hint = Seules les pages les plus récentes figurent ici. Indiquez les plus anciennes par leur code ou leur nom court, séparés par des virgules.
console-members-last-owner = Votre établissement a besoin d’une personne avec le rôle « Propriétaire ». Donnez-le d’abord à quelqu’un d’autre.
console-members-added = Le membre est ajouté et peut se connecter ici : { $address }
console-members-changed = C’est sauvegardé, avec effet immédiat.
console-members-removed = Le rôle a pris fin.
console-members-remove = Retirer ce membre
console-members-remove-lead = Le rôle prend fin immédiatement. Les enregistrements personnels sont conservés.
console-members-tokens = Jetons d’accès créés par cette personne
console-members-tokens-lead = Cette personne les connaît, et ils continuent de fonctionner. Que doivent-ils devenir ?
console-members-tokens-keep = Les conserver
console-members-tokens-keep-hint = Les programmes continuent de fonctionner. Remplacez ensuite chacun de ces jetons, pour qu’aucune personne partie ne les connaisse.
console-members-tokens-revoke = Les révoquer
console-members-tokens-revoke-hint = Les programmes qui les utilisent cessent de fonctionner en une seconde.
console-members-tokens-fault = Veuillez choisir ce que les jetons d’accès doivent devenir.
console-members-groups = Rôles par groupe
console-members-groups-lead = Chaque personne d’un groupe de votre authentification unique reçoit son rôle à la prochaine connexion, et le perd après avoir quitté le groupe. Entre plusieurs groupes, le rôle le plus élevé compte. Les rôles donnés à la main restent.
console-members-groups-none = Configurez d’abord l’authentification unique.
console-members-groups-empty = Aucun groupe n’a encore de rôle.
console-members-group = Groupe
console-members-group-hint = Exactement comme l’écrit votre fournisseur. Microsoft Entra écrit l’ID d’objet du groupe.
console-members-group-add = Sauvegarder le rôle du groupe
console-members-group-remove = Retirer
console-members-group-pages-hint = Pour les responsables, les auditeurs et les auditrices : codes ou noms courts de pages, séparés par des virgules.
console-members-claim = Nom du claim avec les groupes
console-members-claim-hint = La plupart des fournisseurs utilisent : groups
console-members-by-group = par groupe

console-audit-lead = Chaque modification est notée ici : qui l’a faite, quand, et ce qu’il y avait avant.
console-audit-search = Chercher partout
console-audit-act = Quoi
console-audit-any = Tout
console-audit-who = Qui
console-audit-person = Les données de qui
console-audit-from = Du jour
console-audit-to = Au jour
console-audit-day-fault = Veuillez écrire le jour comme 2026-07-01.
console-audit-clear = Tout afficher
console-audit-about-one = Seulement les modifications de ceci :
console-audit-none = Rien n’a été trouvé. Essayez avec moins de mots ou d’autres jours.
console-audit-go-on = Rien pour l’instant. Les entrées plus anciennes continuent la recherche.
console-audit-when = Quand
console-audit-subject = De quoi
console-audit-fields = Modifié
console-audit-origin = D’où
console-audit-newest = Plus récentes
console-audit-older = Plus anciennes
console-audit-export = Exporter
console-audit-export-lead = Toutes les entrées trouvées, avec les anciennes et les nouvelles valeurs. Le fichier contient des données personnelles.
console-audit-csv = En tableau (CSV)
console-audit-json = Pour des programmes (lignes JSON)
console-audit-retention = Durée de conservation
console-audit-kept = { $days ->
    [one] Les entrées sont supprimées après { $days } jour.
   *[other] Les entrées sont supprimées après { $days } jours.
}
console-audit-kept-forever = Les entrées ne sont jamais supprimées.
console-audit-keep = Conserver les entrées
console-audit-keep-days = Pendant un certain temps
console-audit-days = Jours
console-audit-days-fault = Veuillez écrire un nombre de jours, de 1 à 36500.
console-audit-keep-forever = Pour toujours
console-audit-owners-only = Seules les personnes propriétaires peuvent modifier cela.
console-audit-entry = Une modification
console-audit-back = Retour au journal d’audit
console-audit-no-values = Aucune valeur n’a été modifiée.
console-audit-field = Champ
console-audit-before = Avant
console-audit-after = Après
console-audit-by-token = jeton d’accès
console-audit-by-operator = exploitation du serveur
console-audit-by-member = membre
console-audit-by-person = la personne elle-même
console-audit-by-lti = la personne, dans une plateforme d’apprentissage
console-audit-by-phone = la personne, au téléphone
console-audit-by-scim = annuaire
console-audit-by-system = automatiquement
