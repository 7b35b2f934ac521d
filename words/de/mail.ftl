# E-Mails. Im Betreff steht die Einrichtung am Ende, weil ihr Name in einer anderen Schrift geschrieben sein kann.

mail-sign-in-subject = Dein Code zum Anmelden: { $institution }
mail-sign-in-title = Anmelden
mail-sign-in-code = Gib diesen Code auf der Seite ein, auf der du ihn angefordert hast:
mail-sign-in-link = Oder öffne diesen Link, auf diesem oder einem anderen Gerät:
mail-sign-in-button = Weiter zur Anmeldung
mail-sign-in-once = Der Code und der Link funktionieren einmal, zehn Minuten lang.
mail-sign-in-why = Jemand möchte sich mit der Adresse { $email } anmelden.
mail-sign-in-ignore = Wenn du das nicht warst, ignoriere diese Nachricht. Ohne den Code oder den Link kann sich niemand anmelden; gib sie deshalb nicht weiter.
mail-test-subject = Testnachricht
mail-test-title = E-Mail funktioniert
mail-test-body = Das ist eine Testnachricht von Endonym. Wenn du sie lesen kannst, kann diese Installation E-Mails senden.
mail-address-subject = Ihre Adresse wurde geändert: { $institution }
mail-address-what = { $institution } hat die Adresse Ihres Eintrags von { $old } zu { $new } geändert. Der Eintrag mit seinen Aufnahmen und die Seite, auf der man sie ändert, gehören jetzt zur neuen Adresse.
mail-address-then = Wenn Sie das nicht erwartet haben, fragen Sie bitte gleich bei { $institution } nach. Mit der neuen Adresse sehen Sie Ihren Eintrag hier:
mail-replaced-subject = Ihre Aufnahme wurde ersetzt: { $institution }
mail-replaced-what = Jemand anderes hat Ihre eigene Aufnahme Ihres Namens ersetzt, auf der Seite { $page } von { $institution }.
mail-replaced-then = Ihre eigene Aufnahme wird bis { $date } aufbewahrt. Mit einem Klick auf Ihrer Seite setzen Sie sie wieder ein:
mail-merged-subject = Zwei Einträge wurden zusammengeführt: { $institution }
mail-merged-own = Dein Eintrag für { $page } wurde mit einem Eintrag zusammengeführt, der eine andere E-Mail-Adresse hatte. Er hat vielleicht eine Aufnahme von ihm übernommen.
mail-merged-other = Dein Eintrag für { $page } ist in einem Eintrag mit einer anderen E-Mail-Adresse aufgegangen. Was dazu gehörte, etwa deine Aufnahme, gehört jetzt vielleicht zu jener Adresse, und mit dieser kannst du es nicht ändern.
mail-merged-then = Wenn diese Einträge nicht zu derselben Person gehören, sag { $institution } sofort Bescheid.
