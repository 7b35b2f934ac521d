# The listening page of a name page: the list, asking for a recording, reporting one.

people-title = { $page } : les noms et leur prononciation
people-coverage =
    { $recorded ->
        [one] { $recorded } personne sur { $registered } a enregistré son nom.
       *[other] { $recorded } personnes sur { $registered } ont enregistré leur nom.
    }
people-find = Chercher un nom
people-find-send = Chercher
people-shown = Personnes affichées
people-everybody = Tout le monde
people-unrecorded = Pas encore d’enregistrement
people-recorded = Avec enregistrement
people-letters = Initiales
people-found =
    { $count ->
        [one] { $count } personne.
       *[other] { $count } personnes.
    }
people-found-nobody = Personne ici ne s’appelle { $search }.
people-show-everybody = Afficher tout le monde
people-all-recorded = Tout le monde a enregistré son nom.
people-nobody = Il n’y a encore personne ici.
people-pages = Parties de la liste
people-page = Page { $page } sur { $pages }
people-back = Précédent
people-next = Suivant
people-list = Retour à la liste
people-play-all = Tout écouter
people-play-all-file = Tout écouter dans un seul fichier
people-stop = Arrêter
people-print = Version à imprimer
people-print-now = Imprimer
people-keys = Clavier
people-keys-hint = Accédez à la liste avec la touche Tab, ou avec la flèche vers le bas depuis le champ de recherche.
people-keys-arrows = La personne suivante ou précédente
people-keys-space-name = Espace
people-keys-space = Écouter le nom, ou arrêter
people-keys-home-name = Début
people-keys-end-name = Fin
people-keys-ends = La première ou la dernière personne
people-name = Nom
people-phonetic = Prononciation
people-pronouns = Pronoms
people-recording = Enregistrement
people-inside = Connectez-vous pour écouter ce nom
people-only-inside = Réservé aux personnes de { $institution }
people-ask = Demander un enregistrement
people-ask-outside = Ouvrez cette page dans son propre onglet pour demander des enregistrements
people-asked = Merci. Nous transmettons votre demande, au plus une fois par semaine et seulement si la personne souhaite recevoir de tels messages.
people-report = Signaler
people-report-label = Signaler la fiche de { $name } (s’ouvre dans un nouvel onglet)
people-report-title = Signaler une fiche
people-report-lead = Vous signalez la fiche de { $name }. Les responsables de cette page l’examineront et décideront.
people-report-about = Que voulez-vous signaler ?
people-report-about-recording = L’enregistrement
people-report-about-entry = Le nom, sa transcription ou la photo
people-report-why = Quel est le problème ?
people-report-wrong-person = C’est le nom ou la voix de quelqu’un d’autre
people-report-offensive = C’est offensant
people-report-unintelligible = C’est incompréhensible
people-report-sentence = Dites-nous en plus
people-report-sentence-hint = Une phrase suffit.
people-report-sentence-fault = Veuillez écrire une phrase, de 1 000 caractères au plus.
people-report-choose = Veuillez choisir le problème.
people-report-send = Envoyer
people-reported = Merci. Les responsables de cette page vont l’examiner.
people-too-many-title = Veuillez patienter un peu
people-too-many = Il y a eu trop de demandes depuis votre réseau. Veuillez réessayer dans une heure.
people-closed-title = Vous ne pouvez pas écouter ici
people-closed = Seules certaines personnes peuvent écouter les noms de cette page. Si vous devriez en faire partie, adressez-vous aux responsables de la page ou connectez-vous avec une autre adresse.
people-requests-title = Demandes d’enregistrement
people-requests-label = D’autres peuvent me demander d’enregistrer mon nom
people-requests-hint = Vous recevez au plus un message par semaine, et seulement tant qu’il n’y a pas d’enregistrement de votre nom.
people-requests-done = C’est sauvegardé.
