# Consent, search engines, a copy of everything, deleting everything, and the owner's link on a badge.

data-title = Deine Daten

data-consent-title = Bevor du aufnimmst
data-consent-purpose = { $institution } bewahrt eine Aufnahme deines Namens auf, damit andere hören können, wie man ihn ausspricht.
data-consent-choice = Du entscheidest, wer sie hören darf. Du kannst sie jederzeit ersetzen oder löschen und deine Zustimmung widerrufen.
data-consent-never = Deine Stimme wird für nichts anderes verwendet: niemals für Stimmabdrücke, mit denen man Menschen an der Stimme erkennt, und niemals, um Software zu trainieren.
data-consent-agree = Ich stimme zu
data-consent-done = Danke. Du kannst deinen Namen jetzt aufnehmen.
data-consent-needed = Bitte stimm zuerst dem Text über Aufnahmen zu. Öffne diese Seite noch einmal in einem anderen Tab, stimm dort zu und sende deine Aufnahme dann von hier.
data-consent-section = Deine Zustimmung
data-consent-since = Du hast am { $date } zugestimmt, dass dein Name aufgenommen wird.
data-consent-read = Den Text lesen, dem du zugestimmt hast
data-consent-withdraw = Meine Zustimmung widerrufen
data-consent-withdraw-explained = Wähle, was mit deinen Aufnahmen geschieht. Anrufe, auf die du wartest, werden abgesagt. Um deinen Namen wieder aufzunehmen, musst du nur erneut zustimmen.
data-consent-withdraw-pause = Widerrufen und meine Aufnahmen so aufbewahren, dass niemand sie hören kann
data-consent-withdraw-delete = Widerrufen und meine Aufnahmen löschen
data-consent-withdrawn = Du hast deine Zustimmung widerrufen.

data-search-title = Suchmaschinen
data-search-label = Suchmaschinen dürfen meinen Namen anzeigen
data-search-hint = Das gilt nur, solange alle mit dem Link deinen Namen hören dürfen. Sonst bitten wir Suchmaschinen, deine Seite auszulassen.

data-copy = Eine Kopie von allem herunterladen
data-copy-hint = Eine ZIP-Datei mit deinen Aufnahmen und Bildern und mit allem anderen, was über dich gespeichert ist.

data-sign-out-everywhere = Auf allen Geräten abmelden

data-delete = Alles löschen
data-delete-title = Alles über dich löschen?
data-delete-lead = Das lässt sich nicht rückgängig machen. Bei { $institution } wird gelöscht:
data-delete-pages = Dein Name auf diesen Seiten:
data-delete-recordings = Deine Aufnahmen und Bilder mit allen Links dorthin
data-delete-rest = Deine Telefonnummer, Anrufe, Einstellungen, Zustimmungen und Anmeldungen
data-delete-courses = Wenn du noch in einem Kurs bist, kann dein Name zurückkommen, sobald der Kurs abgeglichen wird, aber ohne alles, was du jetzt löschst.
data-delete-elsewhere = Was deine Einrichtung in anderen Systemen aufbewahrt, wird nicht gelöscht. Frühere Sicherungskopien enthalten deine Daten, bis auch sie gelöscht werden.
data-delete-now = Alles über mich löschen
data-deleted-title = Alles ist gelöscht
data-deleted = Hier ist nichts mehr über dich gespeichert, und du bist überall abgemeldet.
data-deleting-title = Deine Daten werden gelöscht
data-deleting = Dein Name ist hier gelöscht, und du bist überall abgemeldet. Einige Dateien mit deinen Daten, zum Beispiel die Aufnahme eines Anrufs, werden noch gelöscht. Du musst nichts weiter tun.

data-handed-over-title = Dieses Gerät kann nur aufnehmen
data-handed-over = Du hast einen Code gescannt. Das genügt, um deinen Namen aufzunehmen. Melde dich hierfür bitte mit deiner E-Mail-Adresse an.

data-badge-mine = Das bin ich: ändern
