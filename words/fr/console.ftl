# The console: its frame, overview and search.

console-overview = Vue d’ensemble
console-people = Personnes
console-name-pages = Pages de noms
console-moderation = Modération
console-custom-fields = Champs personnalisés
console-tokens = Jetons d’accès
console-learning-systems = Plateformes d’apprentissage
console-phone = Téléphone
console-messages = Messages
console-jobs = Exports et tâches
console-settings = Paramètres
console-members = Membres
console-audit = Journal d’audit
console-title = Console
console-menu = Menu
console-own-page = Votre propre page
console-forbidden-title = Ceci ne fait pas partie de votre rôle
console-forbidden = Une personne propriétaire ou administratrice de votre établissement peut le faire, ou vous donner ce rôle.
console-sign-in-again = Veuillez vous reconnecter pour faire cela.
