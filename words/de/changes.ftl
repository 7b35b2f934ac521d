# Wer die Daten einer Person geändert hat: ein Abschnitt ihrer eigenen Seite.

changes-title = Änderungen an deinem Eintrag
changes-hint = Deine Einrichtung hält fest, wer deine Daten ändert. Dies sind die neuesten Änderungen.
changes-none = Bisher wurde nichts geändert.

changes-act-created = Du wurdest eingetragen
changes-act-updated = Deine Angaben wurden geändert
changes-act-deleted = Dein Eintrag wurde gelöscht
changes-act-hidden = Du wurdest von einer Seite genommen
changes-act-shown = Du bist wieder auf einer Seite
changes-act-recording = Deine Aufnahme wurde gespeichert
changes-act-recording-held = Deine Aufnahme wartet auf Freigabe
changes-act-recording-deleted = Deine Aufnahme wurde gelöscht
changes-act-photo = Dein Foto wurde gespeichert
changes-act-photo-deleted = Dein Foto wurde entfernt
changes-act-consent = Du hast dem Text über Aufnahmen zugestimmt
changes-act-consent-withdrawn = Du hast deine Zustimmung zurückgezogen
changes-act-approved = Deine Aufnahme oder dein Eintrag wurde freigegeben
changes-act-refused = Deine Aufnahme oder dein Eintrag wurde nicht angenommen
changes-act-restored = Deine Aufnahme oder dein Eintrag wurde wiederhergestellt
changes-act-settings = Deine Einstellungen wurden geändert
changes-act-directory-hold = Deine Auskunftssperre wurde gesetzt oder aufgehoben
changes-act-role = Deine Rolle wurde geändert
changes-act-invitation = Deine Einladung wurde geändert
changes-act-call = Ein Anruf bei dir wurde geändert
changes-act-mail = Nachrichten an dich wurden geändert
changes-act-copy = Eine Kopie deiner Daten wurde erstellt
changes-act-link = Ein Link zum Anmelden in deinem Namen wurde erstellt
changes-act-other = Etwas anderes wurde geändert

changes-by-you = Du
changes-by-staff = Das Personal deiner Einrichtung
changes-by-member = Das Personal deiner Einrichtung ({ $email })
changes-by-token = Ein System deiner Einrichtung ({ $name })
changes-by-system = Automatisch
changes-by-named-system = Deine Lernplattform ({ $name })
