# Mise en page, navigation, boutons et erreurs utilisés à plusieurs endroits.
# « Sauvegarder » et non « Enregistrer », car ce mot désigne ici l’enregistrement sonore.

shared-skip = Aller au contenu
shared-language = Langue
shared-sign-out = Se déconnecter
shared-save = Sauvegarder
shared-continue = Continuer
shared-blank = Veuillez remplir ce champ.
shared-cannot-play = Cet enregistrement ne peut pas être lu pour le moment. Veuillez réessayer dans un instant.
shared-trouble-title = Un problème est survenu
shared-trouble = L’erreur vient de nous. Veuillez réessayer dans un instant.
shared-nothing-title = Il n’y a rien ici
shared-nothing = La page que vous cherchez n’existe pas.
shared-unreadable-title = Cela n’a pas fonctionné
shared-unreadable = Votre navigateur a envoyé quelque chose que nous n’avons pas pu lire. Revenez en arrière et réessayez.
shared-busy = Le serveur est occupé. Veuillez réessayer dans un instant.
shared-form-expired-title = Veuillez renvoyer cette page
shared-form-expired = Cette page est restée ouverte trop longtemps ou a été envoyée depuis un autre site. Revenez en arrière, rechargez la page et envoyez-la de nouveau.
