# The photo, name badges, custom fields and legal name on a person's own page.

profile-badge = Namensschild

profile-photo-title = Dein Foto
profile-photo-alt = Foto von dir
profile-photo-choose = Wähle ein Foto von dir
profile-photo-replace = Wähle ein anderes Foto
profile-photo-hint = Eine JPEG-, PNG-, WebP- oder GIF-Datei. Das Foto wird auf allen deinen Seiten als Quadrat gezeigt.
profile-photo-partial = Einige deiner Seiten zeigen es noch nicht. Wähle es noch einmal aus, damit es überall zu sehen ist.
profile-photo-delete = Mein Foto entfernen
profile-photo-send = Dieses Foto verwenden
profile-photo-no-file = Bitte wähle zuerst ein Foto aus.
profile-photo-other = Diese Datei können wir nicht verwenden. Bitte wähle ein Bild im Format JPEG, PNG, WebP oder GIF.
profile-photo-heic = Das ist ein HEIC-Bild, das wir nicht verwenden können. Bitte speichere es zuerst als JPEG oder mach ein Bildschirmfoto davon.
profile-photo-damaged = Dieses Bild ist beschädigt oder unvollständig. Bitte speichere es noch einmal oder wähle ein anderes.
profile-photo-large = Dieses Bild ist zu groß. Bitte wähle ein kleineres.

profile-crop-preview = Dein Foto, wie andere es sehen werden
profile-crop-hint = Zieh das Bild oder benutze die Regler, bis dir der Ausschnitt gefällt.
profile-crop-ready = Wähle den Ausschnitt, den andere sehen werden, und drück dann auf „Dieses Foto verwenden“.
profile-crop-zoom = Vergrößern
profile-crop-x = Nach links oder rechts
profile-crop-y = Nach oben oder unten

profile-done-photo = Dein Foto ist gespeichert.
profile-done-photo-deleted = Dein Foto ist entfernt.

profile-fixed = Das kann nur deine Einrichtung ändern. Wenn etwas nicht stimmt, wende dich bitte an deine Einrichtung.
profile-field-none = Keine Angabe
profile-field-yes = Ja
profile-field-no = Nein
profile-field-not-included = Bitte wähle eine der Antworten.

profile-guide-examples = Zum Beispiel:
profile-guide-example-1 = Siobhán: schi-WOHN
profile-guide-example-2 = Giulia: DSCHU-lja
profile-guide-example-3 = Joaquín: cho-a-KIEN

profile-legal-title = Dein amtlicher Name
profile-legal-lead = Deine Einrichtung verwendet ihn, wo sie es muss, zum Beispiel auf einem Zeugnis. Du kannst aufnehmen, wie man ihn ausspricht.
profile-legal-all = Eine Aufnahme wird auf allen diesen Seiten verwendet.
profile-legal-open = Amtlichen Namen anhören oder aufnehmen
profile-legal-none = Deine Einrichtung hat keinen amtlichen Namen für dich eingetragen.
profile-legal-play = Dein amtlicher Name auf { $page }
profile-legal-unrecorded = Er ist noch nicht aufgenommen.
profile-legal-delete = Die Aufnahme meines amtlichen Namens löschen
profile-legal-delete-explained = Die Aufnahme deines amtlichen Namens wird von allen deinen Seiten entfernt, und ihre Links funktionieren nicht mehr. Das lässt sich nicht rückgängig machen. Die Aufnahme des Namens, den du benutzt, bleibt. Du kannst deinen amtlichen Namen jederzeit neu aufnehmen.
profile-legal-delete-now = Diese Aufnahme löschen
profile-legal-ready = Drück auf den Knopf und sag deinen amtlichen Namen so, wie man ihn aussprechen soll. Du kannst ihn dir anhören, bevor andere es tun.
profile-legal-consent = Um ihn aufzunehmen, stimm bitte zuerst dem Text über Aufnahmen zu.
