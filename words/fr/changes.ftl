# Qui a modifié les données d’une personne : une section de sa propre page.

changes-title = Modifications de votre fiche
changes-hint = Votre établissement garde une trace de qui modifie vos données. Voici les modifications les plus récentes.
changes-none = Rien n’a encore été modifié.

changes-act-created = Votre fiche a été créée
changes-act-updated = Vos informations ont été modifiées
changes-act-deleted = Votre fiche a été supprimée
changes-act-hidden = Votre fiche a été retirée d’une page
changes-act-shown = Votre fiche est de retour sur une page
changes-act-recording = Votre enregistrement a été sauvegardé
changes-act-recording-held = Votre enregistrement attend une validation
changes-act-recording-deleted = Votre enregistrement a été supprimé
changes-act-photo = Votre photo a été sauvegardée
changes-act-photo-deleted = Votre photo a été retirée
changes-act-consent = Vous avez accepté le texte sur les enregistrements
changes-act-consent-withdrawn = Vous avez retiré votre consentement
changes-act-approved = Votre enregistrement ou votre fiche a été validé
changes-act-refused = Votre enregistrement ou votre fiche n’a pas été accepté
changes-act-restored = Votre enregistrement ou votre fiche a été rétabli
changes-act-settings = Vos réglages ont été modifiés
changes-act-directory-hold = Votre inscription sur liste rouge a été activée ou terminée
changes-act-role = Votre rôle a été modifié
changes-act-invitation = Votre invitation a été modifiée
changes-act-call = Un appel vers votre téléphone a été modifié
changes-act-mail = Les messages qui vous sont destinés ont été modifiés
changes-act-copy = Une copie de vos données a été faite
changes-act-link = Un lien pour se connecter en votre nom a été créé
changes-act-other = Autre chose a été modifié

changes-by-you = Vous
changes-by-staff = Le personnel de votre établissement
changes-by-member = Le personnel de votre établissement ({ $email })
changes-by-token = Un système de votre établissement ({ $name })
changes-by-system = Automatiquement
changes-by-named-system = Votre plateforme d’apprentissage ({ $name })
