# Consent, search engines, a copy of everything, deleting everything, and the owner's link on a badge.

data-title = Vos données

data-consent-title = Avant d’enregistrer
data-consent-purpose = { $institution } conserve un enregistrement de votre nom, pour que d’autres puissent entendre comment le prononcer.
data-consent-choice = Vous décidez qui peut l’entendre. Vous pouvez le remplacer ou le supprimer à tout moment, et retirer votre accord.
data-consent-never = Votre voix ne sert à rien d’autre : jamais à créer des empreintes vocales, qui reconnaissent les personnes à leur voix, et jamais à entraîner des logiciels.
data-consent-agree = J’accepte
data-consent-done = Merci. Vous pouvez maintenant enregistrer votre nom.
data-consent-needed = Veuillez d’abord accepter le texte sur les enregistrements. Ouvrez de nouveau cette page dans un autre onglet, acceptez-le, puis envoyez votre enregistrement d’ici.
data-consent-section = Votre accord
data-consent-since = Le { $date }, vous avez accepté que votre nom soit enregistré.
data-consent-read = Lire ce que vous avez accepté
data-consent-withdraw = Retirer mon accord
data-consent-withdraw-explained = Choisissez ce que deviennent vos enregistrements. Les appels que vous attendez sont annulés. Pour enregistrer de nouveau votre nom, il suffit d’accepter à nouveau.
data-consent-withdraw-pause = Retirer mon accord et conserver mes enregistrements sans que personne puisse les entendre
data-consent-withdraw-delete = Retirer mon accord et supprimer mes enregistrements
data-consent-withdrawn = Vous avez retiré votre accord.

data-search-title = Moteurs de recherche
data-search-label = Les moteurs de recherche peuvent afficher mon nom
data-search-hint = Cela ne vaut que tant que toute personne ayant le lien peut entendre votre nom. Sinon, nous demandons aux moteurs de recherche d’ignorer votre page.

data-copy = Télécharger une copie de tout
data-copy-hint = Un fichier ZIP avec vos enregistrements, vos images et tout ce qui est conservé d’autre à votre sujet.

data-sign-out-everywhere = Se déconnecter de tous les appareils

data-delete = Tout supprimer
data-delete-title = Supprimer tout ce qui vous concerne ?
data-delete-lead = Cette action est définitive. Chez { $institution }, seront supprimés :
data-delete-pages = Votre nom sur ces pages :
data-delete-recordings = Vos enregistrements et vos images, avec tous leurs liens
data-delete-rest = Votre numéro de téléphone, vos appels, vos réglages, vos accords et vos connexions
data-delete-courses = Si vous suivez encore un cours, votre nom peut revenir lors de la synchronisation du cours, mais sans rien de ce que vous supprimez maintenant.
data-delete-elsewhere = Ce que votre établissement conserve dans d’autres systèmes n’est pas supprimé. Les sauvegardes antérieures contiennent vos données jusqu’à leur propre suppression.
data-delete-now = Supprimer tout ce qui me concerne
data-deleted-title = Tout est supprimé
data-deleted = Plus rien n’est conservé ici à votre sujet, et vos sessions sont fermées partout.
data-deleting-title = Vos données sont en cours de suppression
data-deleting = Votre nom est supprimé ici, et vos sessions sont fermées partout. Certains fichiers avec vos données, par exemple l’enregistrement d’un appel, sont encore en cours de suppression. Vous n’avez rien à faire.

data-handed-over-title = Cet appareil peut seulement enregistrer
data-handed-over = Vous avez scanné un code, ce qui suffit pour enregistrer votre nom. Pour continuer, connectez-vous avec votre adresse e-mail.

data-badge-mine = C’est moi : modifier
