# The console: access tokens.

console-tokens-about = Les programmes utilisent des jetons d’accès pour lire et modifier les personnes de votre établissement au moyen de l’API.
console-tokens-docs = Référence de l’API
console-tokens-none = Il n’y a aucun jeton d’accès valide. Créez-en un pour chaque programme, afin de pouvoir le révoquer seul.
console-tokens-new = Nouveau jeton d’accès
console-tokens-show-ended = Afficher aussi les jetons expirés et révoqués
console-tokens-hide-ended = Seulement les jetons valides
console-tokens-name = Nom
console-tokens-name-hint = Quel programme utilise le jeton, par exemple « Système d’information étudiant ».
console-tokens-state = État
console-tokens-active = Valide
console-tokens-replaced = Remplacé, encore valide
console-tokens-expired = Expiré
console-tokens-revoked = Révoqué
console-tokens-soon = Expire bientôt
console-tokens-replacement = Le jeton qui le remplace
console-tokens-scope = Autorisations
console-tokens-read = Lecture
console-tokens-read-hint = Listes, recherches et consultations de personnes, et lecture des exports.
console-tokens-write = Lecture et écriture
console-tokens-write-hint = Crée, modifie et supprime aussi des personnes et des enregistrements.
console-tokens-sync = Synchroniser les cours
console-tokens-sync-hint = Lance la synchronisation des cours avec votre plateforme d’apprentissage, et rien d’autre.
console-tokens-everything = Tout
console-tokens-everything-hint = Lit, écrit et synchronise les cours.
console-tokens-pages = Pages de noms
console-tokens-all-pages = Toutes les pages de noms
console-tokens-all-pages-hint = Y compris celles qui seront créées plus tard.
console-tokens-some-pages = Seulement ces pages de noms
console-tokens-no-pages = Plus aucune
console-tokens-pages-none = Veuillez choisir au moins une page de noms.
console-tokens-pages-many = Il y en a trop. Veuillez choisir au plus { $most } pages de noms, ou toutes.
console-tokens-rows = Lignes
console-tokens-newest = Une ligne par personne
console-tokens-newest-hint = Si une personne figure sur plusieurs pages de noms, une consultation par e-mail ou identifiant ne renvoie que la fiche avec l’enregistrement le plus récent.
console-tokens-held = Inclure les personnes sur liste rouge
console-tokens-held-hint = Les autres jetons présentent ces personnes comme si elles n’avaient rien enregistré. Seulement pour des programmes réservés au personnel.
console-tokens-held-short = Liste rouge
console-tokens-maker = Créé par
console-tokens-maker-unknown = Inconnu
console-tokens-maker-left = N’est plus là
console-tokens-created = Créé
console-tokens-used = Dernière utilisation
console-tokens-never-used = Jamais
console-tokens-expires = Expire
console-tokens-forever = N’expire pas
console-tokens-life = Durée de validité du jeton
console-tokens-days =
    { $count ->
        [one] { $count } jour
       *[other] { $count } jours
    }
console-tokens-hours =
    { $count ->
        [one] { $count } heure
       *[other] { $count } heures
    }
console-tokens-create = Créer le jeton
console-tokens-made-title = Le nouveau jeton
console-tokens-made-once = Ceci n’est affiché que maintenant. Copiez-le là où il sera utilisé : nous n’en gardons aucune copie.
console-tokens-overlap = L’ancien jeton est valide jusqu’au { $until }. Remplacez-le partout avant cette date.
console-tokens-secret = Jeton
console-tokens-copy-secret = Copier le jeton
console-tokens-copy-curl = Copier la commande
console-tokens-copied = Copié
console-tokens-curl-title = Essayer
console-tokens-curl-about = Collez cette ligne dans un terminal. Elle affiche des personnes de votre établissement.
console-tokens-curl-sync = Collez cette ligne dans un terminal. Remplacez-y API_TOKEN par le jeton d’API d’une plateforme d’apprentissage et COURSE_ID par l’identifiant d’un cours.
console-tokens-go-on = Je l’ai copié
console-tokens-requests = Requêtes, 30 jours
console-tokens-requests-title = Requêtes par jour
console-tokens-requests-sum =
    { $count ->
        [one] { $count } requête au cours des 30 derniers jours.
       *[other] { $count } requêtes au cours des 30 derniers jours.
    }
console-tokens-chart = Requêtes par jour, au plus { $most }
console-tokens-since = Du { $day } à aujourd’hui
console-tokens-by-day = Nombres par jour
console-tokens-day = Jour
console-tokens-counted = Les requêtes apparaissent ici après quelques secondes.
console-tokens-rotate-title = Remplacer le jeton
console-tokens-rotate-about = Vous recevez un nouveau jeton avec les mêmes autorisations. L’ancien reste valide quelque temps, afin que rien ne soit interrompu.
console-tokens-overlap-label = L’ancien jeton reste valide
console-tokens-overlap-none = Pas du tout
console-tokens-rotate = Créer un nouveau jeton
console-tokens-revoke-title = Révoquer le jeton
console-tokens-revoke-about = Il cesse d’être valide en moins d’une seconde, et ne peut pas le redevenir.
console-tokens-revoke-confirm = Les programmes qui utilisent ce jeton cesseront de fonctionner
console-tokens-revoke-unconfirmed = Veuillez confirmer.
console-tokens-revoke = Révoquer le jeton
console-tokens-done-revoked = Le jeton a été révoqué.
