# E-mails. L’objet nomme l’établissement en dernier, car son nom peut être dans une autre écriture.

mail-sign-in-subject = Votre code de connexion : { $institution }
mail-sign-in-title = Se connecter
mail-sign-in-code = Saisissez ce code sur la page où vous l’avez demandé :
mail-sign-in-link = Ou ouvrez ce lien, sur cet appareil ou sur un autre :
mail-sign-in-button = Continuer vers la connexion
mail-sign-in-once = Le code et le lien fonctionnent une seule fois, pendant dix minutes.
mail-sign-in-why = Quelqu’un a demandé à se connecter avec l’adresse { $email }.
mail-sign-in-ignore = Si ce n’était pas vous, ignorez ce message. Personne ne peut se connecter sans le code ou le lien : ne les transmettez donc à personne.
mail-test-subject = Message de test
mail-test-title = L’envoi d’e-mails fonctionne
mail-test-body = Ceci est un message de test d’Endonym. Si vous pouvez le lire, cette installation peut envoyer des e-mails.
mail-address-subject = Votre adresse a été modifiée : { $institution }
mail-address-what = { $institution } a modifié l’adresse de votre fiche de { $old } en { $new }. La fiche avec ses enregistrements, et la page pour les modifier, appartiennent désormais à la nouvelle adresse.
mail-address-then = Si vous ne vous y attendiez pas, renseignez-vous tout de suite auprès de { $institution }. Avec la nouvelle adresse, vous voyez votre fiche ici :
mail-replaced-subject = Votre enregistrement a été remplacé : { $institution }
mail-replaced-what = Quelqu’un d’autre a remplacé l’enregistrement de votre nom que vous aviez fait, sur la page { $page } de { $institution }.
mail-replaced-then = Votre propre enregistrement est conservé jusqu’au { $date }. Vous le rétablissez d’un clic sur votre page :
mail-merged-subject = Deux fiches ont été fusionnées : { $institution }
mail-merged-own = Votre fiche pour { $page } a été fusionnée avec une fiche qui avait une autre adresse e-mail. Elle en a peut-être repris un enregistrement.
mail-merged-other = Votre fiche pour { $page } a été fusionnée dans une fiche avec une autre adresse e-mail. Ce qu’elle contenait, comme votre enregistrement, appartient peut-être désormais à cette adresse, et vous ne pouvez plus le modifier avec celle-ci.
mail-merged-then = Si ces fiches ne sont pas celles de la même personne, prévenez { $institution } sans attendre.
