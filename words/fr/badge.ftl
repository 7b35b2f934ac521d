# Le badge, et le lecteur sur d’autres sites.

badge-title = { $name } : comment prononcer ce nom
badge-description = Le badge de { $name }.
badge-description-recorded = Écoutez { $name } dire son nom.
badge-description-phonetic = Se prononce ainsi : { $phonetic }.
badge-description-both = Se prononce ainsi : { $phonetic }. Écoutez { $name } dire son nom.
badge-say-like = Se prononce ainsi :
badge-note = Se prononce ainsi : { $phonetic }
badge-recording-of = Prononciation de { $name }
badge-play = Écouter le nom de { $name }
badge-play-legal = Écouter le nom d’état civil de { $name }
badge-none = Il n’y a pas encore d’enregistrement de ce nom.
badge-notes = Remarques
badge-legal = Nom d’état civil
badge-save-contact = Télécharger le contact
badge-save-recording = Télécharger l’enregistrement
badge-copy = Copier le lien
badge-copied = Copié
badge-inside-title = Vous ne pouvez pas ouvrir ce badge
badge-inside = Ce badge est réservé aux personnes de { $institution }. Si vous devriez en faire partie, déconnectez-vous, puis connectez-vous avec une autre adresse.

# Le lecteur. Les mots courts doivent tenir dans un cadre de 48 pixels.
badge-player-fault = { $label } (impossible pour le moment)
badge-player-none = Il n’y a pas encore d’enregistrement de { $name }.
badge-player-none-legal = Il n’y a pas encore d’enregistrement du nom d’état civil de { $name }.
badge-player-none-short = Pas de son
badge-player-gone = Ce nom n’est plus ici.
badge-player-gone-short = Retiré
badge-player-later = Le lecteur ne peut pas être affiché pour le moment ; veuillez réessayer dans un instant.
badge-player-later-short = Plus tard
