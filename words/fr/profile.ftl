# The photo, name badges, custom fields and legal name on a person's own page.

profile-badge = Votre badge

profile-photo-title = Votre photo
profile-photo-alt = Photo de vous
profile-photo-choose = Choisissez une photo de vous
profile-photo-replace = Choisissez une autre photo
profile-photo-hint = Un fichier JPEG, PNG, WebP ou GIF. La photo est affichée en carré sur toutes vos pages.
profile-photo-partial = Certaines de vos pages ne l’affichent pas encore. Choisissez-la de nouveau pour l’afficher partout.
profile-photo-delete = Supprimer ma photo
profile-photo-send = Utiliser cette photo
profile-photo-no-file = Choisissez d’abord une photo.
profile-photo-other = Nous ne pouvons pas utiliser ce fichier. Choisissez une image JPEG, PNG, WebP ou GIF.
profile-photo-heic = C’est une image HEIC, que nous ne pouvons pas utiliser. Convertissez-la d’abord en JPEG ou faites-en une capture d’écran.
profile-photo-damaged = Cette image est endommagée ou incomplète. Sauvegardez-la de nouveau ou choisissez-en une autre.
profile-photo-large = Cette image est trop grande. Choisissez-en une plus petite.

profile-crop-preview = Votre photo, telle que les autres la verront
profile-crop-hint = Déplacez l’image ou utilisez les curseurs jusqu’à ce que le carré vous convienne.
profile-crop-ready = Choisissez la partie que les autres verront, puis appuyez sur « Utiliser cette photo ».
profile-crop-zoom = Zoom
profile-crop-x = Gauche ou droite
profile-crop-y = Haut ou bas

profile-done-photo = Votre photo est sauvegardée.
profile-done-photo-deleted = Votre photo est supprimée.

profile-fixed = Seul votre établissement peut modifier ces informations. En cas d’erreur, contactez-le.
profile-field-none = Sans réponse
profile-field-yes = Oui
profile-field-no = Non
profile-field-not-included = Veuillez choisir l’une des réponses.

profile-guide-examples = Par exemple :
profile-guide-example-1 = Siobhán : chi-VONNE
profile-guide-example-2 = Giulia : DJOU-lia
profile-guide-example-3 = Michael : MAÏ-keul

profile-legal-title = Votre nom d’état civil
profile-legal-lead = Votre établissement l’utilise là où c’est nécessaire, par exemple sur un diplôme. Vous pouvez enregistrer sa prononciation.
profile-legal-all = Un seul enregistrement est utilisé sur toutes ces pages.
profile-legal-open = Écouter votre nom d’état civil ou l’enregistrer
profile-legal-none = Votre établissement n’a pas saisi de nom d’état civil pour vous.
profile-legal-play = Votre nom d’état civil sur { $page }
profile-legal-unrecorded = Il n’est pas encore enregistré.
profile-legal-delete = Supprimer l’enregistrement de mon nom d’état civil
profile-legal-delete-explained = L’enregistrement de votre nom d’état civil sera retiré de toutes vos pages et ses liens ne fonctionneront plus. Cette action est définitive. L’enregistrement du nom que vous utilisez est conservé. Vous pourrez enregistrer de nouveau votre nom d’état civil à tout moment.
profile-legal-delete-now = Supprimer cet enregistrement
profile-legal-ready = Appuyez sur le bouton et dites votre nom d’état civil comme il doit être prononcé. Vous pourrez l’écouter avant tout le monde.
profile-legal-consent = Pour l’enregistrer, veuillez d’abord accepter le texte sur les enregistrements.
