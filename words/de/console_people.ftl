# The console: people.

console-people-search = Name, E-Mail oder ID
console-people-search-send = Anzeigen
console-people-reset = Alle anzeigen
console-people-filters = Filter
console-people-page = Namensseite
console-people-any = Beliebig
console-people-field = Eigenes Feld
console-people-value = Wert des Feldes
console-people-sort = Reihenfolge
console-people-sort-name = Nach Name
console-people-sort-changed = Neueste Änderung zuerst
console-people-sort-recorded = Neueste Aufnahme zuerst (nur mit Aufnahme)
console-people-recorded = Aufgenommen
console-people-unrecorded = Nicht aufgenommen
console-people-waiting = Wartet auf Freigabe
console-people-paused = Pausiert
console-people-invited-yes = Eingeladen
console-people-invited-no = Nicht eingeladen
console-people-phone-yes = Mit Nummer
console-people-phone-no = Ohne Nummer
console-people-count =
    { $count ->
        [one] { $count } Person
       *[other] { $count } Personen
    }
console-people-cut-walked = Bisher durchgesehene Personen: { $count }. Der nächste Teil macht dort weiter.
console-people-cut-found = Zu viele Personen passen; nur ein Teil wird angezeigt (Grenze: { $count }). Gib mehr vom Namen ein, um andere zu finden.
console-people-building = Die Suche wird gerade aktualisiert. Einige Personen können für ein paar Minuten fehlen.
console-people-nobody-found = Niemand passt. Versuche es mit weniger Buchstaben oder einem anderen Filter.
console-people-nobody = Hier ist noch niemand. Lege zuerst eine Namensseite an, und importiere dort eine Datei oder lade Personen ein.
console-people-to-pages = Namensseiten
console-people-name = Name
console-people-without-name = Ohne Namen
console-people-changed = Letzte Änderung
console-people-selected = Ausgewählt
console-people-select = { $name } auswählen
console-people-select-all = Alle auf diesem Teil der Liste auswählen
console-people-with-selected = Mit den ausgewählten Personen
console-people-everybody = Alle, die passen, und nicht nur die ausgewählten
console-people-first = Erster Teil
console-people-next = Nächster Teil
console-people-undo = Rückgängig machen
console-people-cancel = Abbrechen
console-people-choose = Bitte wählen
console-people-invite = Einladen
console-people-invite-lead = Sie bekommen eine Nachricht mit einem persönlichen Link. Wer schon aufgenommen hat, keine E-Mails möchte oder eine gültige Einladung hat, wird ausgelassen.
console-people-remind = Erinnern
console-people-remind-lead = Wer per E-Mail eingeladen wurde und nicht aufgenommen hat, bekommt eine Erinnerung: insgesamt höchstens drei, und frühestens einen Tag nach der letzten Nachricht.
console-people-move = Auf eine andere Namensseite verschieben
console-people-move-lead = Aufnahmen und Links bleiben, wie sie sind. Personen eines Kurses bleiben dort, wo die Lernplattform sie führt.
console-people-move-choose = Bitte wähle eine Namensseite.
console-people-tag = Eigenes Feld setzen
console-people-tag-choose = Bitte wähle ein eigenes Feld.
console-people-tag-hint = Lass es leer, um das Feld zu leeren.
console-people-merge = Zwei Einträge einer Person zusammenführen
console-people-merge-two = Geh zurück und wähle genau zwei Personen aus, um sie zusammenzuführen.
console-people-delete-many = Personen löschen
console-people-delete-lead =
    { $days ->
        [one] Sie verschwinden aus allen Listen, und ihre Links funktionieren nicht mehr. Du kannst das { $days } Tag lang rückgängig machen.
       *[other] Sie verschwinden aus allen Listen, und ihre Links funktionieren nicht mehr. Du kannst das { $days } Tage lang rückgängig machen.
    }
console-people-delete-number = Gib zur Bestätigung die Anzahl der Personen ein: { $count }
console-people-delete-wrong = Das ist nicht die Anzahl der Personen.
console-people-bulk-count =
    { $count ->
        [one] Das betrifft { $count } Person.
       *[other] Das betrifft { $count } Personen.
    }
console-people-bulk-cut = Es passen mehr Personen, als auf einmal möglich sind. Wiederhole das danach für die anderen.
console-people-bulk-nobody = Niemand ist ausgewählt. Geh zurück und wähle zuerst Personen aus.
console-people-bulk-no-mail = Hier ist kein Mailserver eingerichtet. Auf einer Namensseite kannst du unter „Einladungen“ persönliche Links weitergeben.
console-people-task-progress = Erledigt: { $done } von { $total }
console-people-task-done = Fertig.
console-people-task-failed = Das konnte nicht abgeschlossen werden. Wer an der Reihe war, ist erledigt; die anderen sind unverändert.
console-people-outcome-done = Erledigt
console-people-outcome-unchanged = Nichts zu tun
console-people-outcome-gone = Nicht mehr da
console-people-outcome-taken = Jemand mit derselben E-Mail oder ID ist schon da
console-people-outcome-without-email = Keine E-Mail
console-people-outcome-recorded = Hat schon aufgenommen
console-people-outcome-unreachable = Möchte keine E-Mails, oder die Adresse funktioniert nicht
console-people-outcome-not-invited = Wurde nicht per E-Mail eingeladen
console-people-outcome-just-written = Wurde vor Kurzem angeschrieben oder hatte schon alle Erinnerungen
console-people-outcome-in-course = Gehört zu einem Kurs
console-people-outcome-closed = Die Namensseite ist geschlossen oder archiviert
console-people-edit = Eintrag bearbeiten
console-people-badge = Namensschild
console-people-listen = Seite zum Anhören
console-people-delete = Eintrag löschen
console-people-delete-title = { $name } löschen?
console-people-audience-institution = Personen der Einrichtung
console-people-recording = Aufnahme
console-people-recordings = Aufnahmen
console-people-legal-recording = Aufnahme des amtlichen Namens
console-people-removed = Nicht angenommen
console-people-paused-lead = Die Person hat ihre Aufnahmen pausiert, deshalb kann sie niemand hören.
console-people-hold = Auskunftssperre
console-people-hold-lead = Über diese Person erfährt die Öffentlichkeit nichts. Nur wer diese Seite verwaltet, hier zuhört oder unterrichtet, hört den Namen, nach der Anmeldung.
console-people-hold-hint = Für Personen, die in keinem Verzeichnis stehen wollen (FERPA). Das gilt für alle Namensseiten der Person.
console-people-hold-yes = Ja: der Öffentlichkeit nichts mitteilen
console-people-hold-no = Nein
console-people-hold-elsewhere = Das kann nur die Leitung oder die Verwaltung beenden: Die Person steht auch auf anderen Namensseiten.
console-people-no-recording = Es gibt noch keine Aufnahme.
console-people-record = Aufnehmen oder hochladen
console-people-record-lead = Tu das nur für Personen, die damit einverstanden sind. Es ersetzt die aktuelle Aufnahme.
console-people-record-ready = Drücke den Knopf und sprich den Namen.
console-people-photo = Ein Bild der Person
console-people-photo-send = Bild hochladen
console-people-calls = Anrufe
console-people-no-calls = Es gab keine Anrufe.
console-people-call = Diese Person anrufen
console-people-called-soon = Diese Person wird bald angerufen.
console-people-call-scheduled = Geplant
console-people-call-active = Läuft
console-people-call-no-answer = Keine Antwort
console-people-call-busy = Besetzt
console-people-call-failed = Fehlgeschlagen
console-people-call-canceled = Abgebrochen
console-people-no-messages = Es gibt keine Nachrichten.
console-people-to-invitations = Einladungen dieser Namensseite
console-people-mail-sign-in = E-Mail zum Anmelden
console-people-mail-queued = Wartet auf den Versand
console-people-mail-sent = Gesendet
console-people-mail-failed = Vom Mailserver abgelehnt
console-people-mail-unconfirmed = Vielleicht gesendet
console-people-mail-expired = Nicht rechtzeitig gesendet
console-people-others = Andere Einträge dieser Person
console-people-history = Verlauf
console-people-no-history = Das Protokoll enthält nichts zu diesem Eintrag.
console-people-all-changes = Alle Änderungen an den Daten dieser Person
console-people-merge-with = Mit diesem Eintrag zusammenführen
console-people-done-saved = Der Eintrag ist gespeichert.
console-people-done-recorded = Die Datei ist gespeichert.
console-people-done-called = Der Anruf ist geplant.
console-people-done-merged = Die beiden Einträge sind zusammengeführt.
console-people-done-restored = Der Eintrag ist wiederhergestellt.
console-people-done-deleted = Der Eintrag ist gelöscht.
console-people-edit-fixed = E-Mail und ID kennzeichnen den Eintrag und lassen sich hier nicht ändern.
console-people-edit-course = Eine Lernplattform liefert die Namen dieser Person und kann sie wieder ändern.
console-people-edit-changed = Jemand anderes hat diesen Eintrag inzwischen geändert. Was du eingegeben hast, ist noch da; bei Feldern, die abweichen, steht der jetzige Wert. Speichere noch einmal, um ihn zu ersetzen.
console-people-edit-theirs = Jetzt dort: { $value }
console-people-deleted = Kürzlich gelöscht
console-people-deleted-none =
    { $days ->
        [one] Am letzten Tag wurde niemand gelöscht.
       *[other] In den letzten { $days } Tagen wurde niemand gelöscht.
    }
console-people-deleted-by = Gelöscht von
console-people-purged-on = Endgültig gelöscht am
console-people-restore = Wiederherstellen
console-people-restore-taken = Jemand mit derselben E-Mail oder ID ist jetzt da. Lösche zuerst diesen Eintrag.
console-people-merge-lead = Der behaltene Eintrag übernimmt vom anderen, was ihm fehlt. Danach wird der andere endgültig gelöscht.
console-people-merge-field = Feld
console-people-merge-kept = Behaltener Eintrag
console-people-merge-other = Anderer Eintrag
console-people-merge-result = Ergebnis
console-people-merge-send = Zusammenführen
console-people-merge-swap = Stattdessen den anderen Eintrag behalten
console-people-merge-email = Die beiden Einträge haben verschiedene E-Mails. Diese wird aufgegeben: { $email }
console-people-merge-changed = Einer der Einträge hat sich inzwischen geändert. Bitte prüfe noch einmal.
console-people-merge-course = Eine Lernplattform braucht den anderen Eintrag, weil er zu einem Kurs gehört. Behalte stattdessen diesen.
console-people-refused = Von einem Verzeichnis deaktiviert
console-people-refused-about = Ein Verzeichnis hat diese Personen deaktiviert oder gelöscht. Sie können weder mit einer Einladung noch durch eine Registrierung zurückkehren, bis das Verzeichnis sie aktiviert oder Sie sie wieder zulassen.
console-people-refused-none = Niemand ist deaktiviert.
console-people-refused-since = Seit
console-people-readmit = Wieder zulassen
console-people-readmitted = Die Person kann wieder eingeladen werden. Senden Sie ihr eine neue Einladung.
console-people-merge-admin = Diese Einträge haben verschiedene E-Mails, es können also zwei Personen sein. Nur Eigentümer oder Admins können sie zusammenführen.
console-people-merge-paused = Die Person mit dem anderen Eintrag hat ihre Aufnahmen pausiert oder ihre Einwilligung widerrufen und hat eine andere E-Mail. Die beiden Einträge können nicht zusammengeführt werden.
console-messages-notice = Nachricht über geänderte Daten
