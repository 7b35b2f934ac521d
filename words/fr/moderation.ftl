# Modération d’une page de noms : la liste des personnes qui la gèrent, et ce que chacun lit au sujet de son enregistrement.

moderation-title = Modération
moderation-lead = Les nouveaux enregistrements, et les nouvelles fiches de personnes dont nul ne répond, attendent ici votre approbation. D’ici là, vous seul et ces personnes pouvez les entendre et les voir.
moderation-lead-off = Les nouveaux enregistrements de cette page s’entendent aussitôt. Les signalements arrivent ici.
moderation-lists = Cas
moderation-open = À décider
moderation-decided = Décidés ces 30 derniers jours
moderation-none = Il n’y a rien à décider.
moderation-none-decided = Rien n’a été décidé ces 30 derniers jours.
moderation-keys = Au clavier : Tab jusqu’à un enregistrement, puis les flèches pour aller au suivant ou au précédent ; Espace le fait entendre, A l’approuve, R mène au motif, D écarte un signalement.
moderation-play = Écouter l’enregistrement de { $name }
moderation-held = Attend une approbation depuis le { $date }
moderation-wrong-person = Signalement : c’est le nom d’une autre personne
moderation-offensive = Signalement : offensant
moderation-unintelligible = Signalement : incompréhensible
moderation-reports =
    { $count ->
        [one] Un signalement
       *[other] { $count } signalements
    }
moderation-approve = Approuver
moderation-reject = Refuser
moderation-remove = Retirer
moderation-reason = Motif
moderation-reason-hint = La personne reçoit votre motif, avec un lien pour recommencer.
moderation-reject-now = Refuser l’enregistrement
moderation-remove-now = Retirer l’enregistrement
moderation-dismiss = Écarter le signalement
moderation-restore = Rétablir
moderation-state-approved = Approuvé par { $by } le { $date }
moderation-state-rejected = Refusé par { $by } le { $date }
moderation-state-removed = Retiré par { $by } le { $date }
moderation-state-dismissed = Écarté par { $by } le { $date }
moderation-state-restored = Rétabli par { $by } le { $date }
moderation-until = Peut être rétabli jusqu’au { $date }
moderation-more = Plus
moderation-done-approved = L’enregistrement peut maintenant être entendu.
moderation-done-rejected = L’enregistrement est refusé, et la personne en apprend le motif.
moderation-done-removed = L’enregistrement est retiré, et la personne en apprend le motif.
moderation-done-dismissed = Le signalement est écarté.
moderation-done-restored = L’enregistrement peut de nouveau être entendu.
moderation-done-decided = Quelqu’un d’autre a décidé entre-temps. Rien n’a été modifié.
moderation-done-newer = Il y a un enregistrement plus récent, donc rien n’a été modifié. Écoutez d’abord le plus récent.
moderation-gone = Cet enregistrement n’existe plus. La personne l’a peut-être supprimé.
moderation-fault-reason = Veuillez écrire un motif. La personne le reçoit.
moderation-own-held = Votre enregistrement attend une approbation. D’ici là, personne d’autre que vous et les personnes qui gèrent cette page ne peut l’entendre.
moderation-own-held-earlier = Votre nouvel enregistrement attend une approbation. D’ici là, les autres entendent le précédent.
moderation-own-refused = Votre enregistrement n’a pas été accepté. Veuillez recommencer. Le motif :
moderation-photo = Photo de { $name }
moderation-entry = Il s’agit de toute la fiche : nom, transcription, informations et photo.
moderation-silenced = Cette personne a mis ses enregistrements en pause ou retiré son consentement : personne d’autre n’entend celui-ci, et il ne peut pas être approuvé.
moderation-reject-entry-now = Refuser la fiche
moderation-remove-entry-now = Retirer la fiche
moderation-entry-reason-hint = La personne reçoit votre motif, avec un lien pour modifier sa fiche.
moderation-done-entry-shown = Les autres voient maintenant la fiche.
moderation-done-entry-refused = Les autres ne voient pas la fiche, et la personne en apprend le motif.
moderation-done-entry-newer = La fiche a changé entre-temps, donc rien n’a été décidé. Regardez-la d’abord à nouveau.
moderation-done-silenced = La personne a mis l’enregistrement en pause ou retiré son consentement. Rien n’a été modifié.
moderation-own-entry-held = Votre fiche attend une approbation. D’ici là, personne d’autre que vous et les personnes qui gèrent cette page ne la voit.
moderation-own-entry-refused = Votre fiche n’a pas été acceptée. Veuillez la modifier. Le motif :
