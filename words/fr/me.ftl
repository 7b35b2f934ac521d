# La page personnelle.

me-title = Votre nom
me-back = Revenir à votre nom
me-gone-title = Votre session est terminée
me-gone = Votre établissement n’a plus de fiche à votre nom ici. Si c’est une erreur, veuillez contacter votre établissement.

me-recording-title = Votre enregistrement
me-recording-play = Votre enregistrement sur { $page }
me-recording-none = Les autres ne peuvent pas encore entendre votre nom.
me-recording-paused = Votre enregistrement est conservé, mais personne ne peut l’entendre pour le moment.
me-recording-only-here = Vous l’avez enregistré pour cette page seulement.
me-recording-delete = Supprimer mon enregistrement
me-recording-delete-explained = Votre enregistrement sera retiré de toutes vos pages et ses liens ne fonctionneront plus. Cette action est définitive. Vous pourrez enregistrer de nouveau votre nom à tout moment.
me-recording-delete-now = Supprimer partout
me-recording-delete-page = Supprimer l’enregistrement pour { $page }
me-recording-delete-page-explained = Cet enregistrement sera retiré de cette page et son lien ne fonctionnera plus. Cette action est définitive.
me-recording-delete-page-now = Supprimer de cette page
me-record-for = Enregistrer pour
me-record-for-all = Toutes mes pages
me-record-for-one = Seulement { $page }

me-audience-heading = Confidentialité
me-directory-hold = Votre établissement vous a mis sur liste rouge : le public n’apprend rien sur vous. Votre badge est fermé et vous ne figurez sur aucune page de noms publique, quel que soit votre choix ci-dessous. Seules les personnes qui enseignent sur l’une de vos pages de noms ou qui la gèrent peuvent entendre votre nom, après connexion. Pour y mettre fin, adressez-vous à votre établissement.
me-audience-title = Qui peut entendre votre enregistrement
me-audience-public = Toute personne ayant le lien
me-audience-public-hint = Toutes les personnes qui ont le lien vers votre nom peuvent l’écouter.
me-audience-institution = Mon établissement
me-audience-institution-hint = Les personnes de votre établissement peuvent l’écouter, dans les systèmes de l’établissement ou après s’être connectées.
me-audience-paused = Personne pour le moment
me-audience-paused-hint = Votre enregistrement est conservé, mais aucun lien vers lui ne fonctionne tant que vous ne choisissez pas autre chose.

me-details-title = Par écrit
me-phonetic = Écriture phonétique
me-phonetic-hint = Écrivez votre nom comme il se prononce, par exemple chi-VONNE.
me-phonetic-guide-title = Comment écrire un nom comme il se prononce
me-phonetic-guide = Écrivez-le de façon qu’une personne qui n’a jamais vu votre nom le lise correctement.
me-phonetic-guide-syllables = Mettez un tiret entre les syllabes : chi-vonne.
me-phonetic-guide-stress = Mettez en majuscules la partie accentuée : chi-VONNE.
me-phonetic-guide-rhyme = Si un son est difficile à écrire, donnez un mot qui rime : « rime avec bonne ».
me-notes = Remarques
me-notes-hint = Toute autre chose qu’il est utile de savoir sur votre nom.

me-call-lead = Vous recevez un appel automatique, et vous dites votre nom au téléphone.
me-call-soon = Vous allez bientôt recevoir un appel. Vous pouvez indiquer un autre numéro.
me-call-send = Appelez-moi
me-phone-number = Numéro de téléphone
me-phone-number-hint = Avec l’indicatif du pays, comme +12025550123.

me-done-recording = Votre enregistrement est sauvegardé.
me-done-deleted = Votre enregistrement est supprimé.
me-done-audience = Votre choix est sauvegardé.
me-done-details = Vos modifications sont sauvegardées.
me-done-call = Vous allez bientôt recevoir un appel.

me-fault-long = C’est trop long. Veuillez utiliser au maximum { $most } caractères.
me-fault-characters = Certains caractères ne peuvent pas être utilisés ici.
me-fault-phone-blank = Veuillez saisir un numéro de téléphone.
me-fault-phone = Nous ne pouvons pas utiliser ce numéro de téléphone. Il devrait ressembler à +12025550123.
me-fault-not-callable = Nous ne pouvons pas appeler ce numéro. Essayez un autre numéro ou enregistrez votre nom ici.
me-fault-too-many-calls = Vous avez reçu trop d’appels aujourd’hui. Réessayez demain ou enregistrez votre nom ici.
me-fault-audience = Votre établissement ne propose pas ce choix. Veuillez en choisir un autre.
me-fault-page = Votre nom n’est plus sur cette page. Veuillez recharger et en choisir une autre.
me-kept-title = Vos enregistrements remplacés
me-kept-about = Quelqu’un d’autre a remplacé des enregistrements que vous aviez faits. Personne n’entend les vôtres tant que vous ne les avez pas rétablis.
me-kept-replaced = Remplacé : { $time }.
me-kept-until = Conservé jusqu’à { $time }.
me-kept-put-back = Rétablir mon enregistrement
me-kept-done = Votre enregistrement est rétabli.
