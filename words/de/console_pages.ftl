# The console: name pages, moderation and custom fields.

console-pages-search = Nach Titel oder Adresse suchen
console-pages-state = Status
console-pages-any = Offen und geschlossen
console-pages-show = Anzeigen
console-pages-new = Neue Namensseite
console-pages-none = Es gibt noch keine Namensseiten. Lege die erste an und lade dann Personen dazu ein.
console-pages-none-found = Keine Namensseite passt dazu.
console-pages-none-given = Dir wurden noch keine Namensseiten zugeteilt. Das kann ein Mitglied mit der Rolle „Leitung“ tun.
console-pages-more = Ältere Namensseiten
console-pages-start = Zurück zu den neuesten

console-page-title = Titel
console-page-title-hint = Zum Beispiel „Jahrgang 2027“.
console-page-date = Datum
console-page-date-hint = Der Tag der Feier oder der ersten Vorlesung. Das Feld kann leer bleiben.
console-page-people = Personen
console-page-recorded = Aufgenommen
console-page-invited = Eingeladen
console-page-open = Offen
console-page-closed = Geschlossen
console-page-archived = Archiviert
console-page-slug = Adresse
console-page-slug-hint = Das Ende der Adresse der Seite: Kleinbuchstaben, Ziffern und Bindestriche. Ist das Feld leer, entsteht sie aus dem Titel.
console-page-access-code = Zugangscode
console-page-access-code-hint = Für Programme, die alte Versionen der API verwenden. Ist das Feld leer, wird einer erzeugt.
console-page-create = Namensseite anlegen
console-page-created = Die Namensseite ist angelegt. Prüfe jetzt ihre Einstellungen und lade Personen ein.
console-page-saved = Die Einstellungen sind gespeichert.
console-page-copied = Das ist die Kopie. Prüfe ihr Datum und ihr Ende.
console-page-copied-people = Das ist die Kopie. Die Personen folgen in wenigen Minuten. Prüfe ihr Datum und ihr Ende.
console-page-was-archived = Die Namensseite ist archiviert.
console-page-was-restored = Die Namensseite ist nicht mehr archiviert.
console-page-deleted = Die Namensseite ist gelöscht.
console-page-print = Namen drucken
console-page-archived-note = Diese Seite ist archiviert. Ihre Einstellungen lassen sich ändern, wenn du sie wiederherstellst.
console-page-basics = Über die Seite
console-page-description = Beschreibung
console-page-description-hint = Was Besuchende über die Seite lesen.
console-page-registering = Eintragen
console-page-register = Wer sich eintragen darf

console-register-invited = Eingeladene Personen
console-register-domain = Personen mit einer E-Mail-Adresse bei einer der Domains unten
console-register-code = Personen, die den Veranstaltungscode kennen
console-register-open = Alle

console-page-domains = Domains
console-page-domains-hint = Eine pro Zeile, wie example.edu, oder *.example.edu für die Subdomains.
console-page-closes = Ende
console-page-closes-hint = Danach kann sich niemand mehr eintragen oder aufnehmen. In der Zeitzone { $zone }. Das Feld kann leer bleiben.
console-page-asked = Wonach gefragt wird

console-asked-name = Name
console-asked-pronouns = Pronomen
console-asked-off = Keine Frage danach
console-asked-optional = Freiwillig
console-asked-required = Pflichtangabe
console-asked-default = Wie beim eigenen Feld festgelegt

console-page-listening = Anhören
console-page-listen = Wer zuhören darf

console-listen-managers = Nur wer die Seite betreut oder sie hören darf
console-listen-registered = Auch Personen, die dort eingetragen sind
console-listen-institution = Auch angemeldete Personen der Einrichtung
console-listen-link = Alle, die den Link haben

console-page-moderation = Neue Aufnahmen

console-moderation-off = Sind sofort zu hören
console-moderation-hold = Warten auf die Freigabe durch eine betreuende Person

console-page-recordings = Aufnahmen
console-page-take = Längste Aufnahme, in Sekunden
console-page-take-hint = Ist das Feld leer, gilt die Grenze dieser Installation.
console-page-days = Aufnahmen so viele Tage nach dem Datum löschen
console-page-days-hint = Die Personen erfahren es 14 Tage vorher. Ist das Feld leer, bleiben die Aufnahmen erhalten.
console-page-deletes = Die Aufnahmen werden am { $date } gelöscht.
console-page-api = API-Version 2
console-page-v2 = Programmen antworten, die den Zugangscode kennen
console-page-v2-hint = Wer den Code kennt, kann dann ohne Token Namen, E-Mail-Adressen und Aufnahmen aller Personen auf dieser Seite lesen. Behandle den Code wie ein Passwort.
console-page-acts = Kopieren, archivieren, löschen
console-page-archive = Archivieren
console-page-restore = Wiederherstellen
console-page-archive-hint = Eine archivierte Seite nimmt keine Einträge und Aufnahmen an, erinnert niemanden und kann jederzeit wiederhergestellt werden.
console-page-copy = Namensseite kopieren
console-page-copy-lead = Die Kopie hat dieselben Einstellungen und Texte, fragt nach denselben Feldern und wird von denselben Personen betreut. Sie hat eigene Codes.
console-page-copy-people = Auch die Personen kopieren
console-page-copy-people-hint = Alle, die eine E-Mail-Adresse haben, ohne Aufnahmen und Fotos. Niemand wird angeschrieben oder angerufen.
console-page-copy-now = Kopie anlegen
console-page-delete = Namensseite löschen
console-page-delete-lead = Damit wird die Seite mit allem darauf gelöscht. Das lässt sich nicht rückgängig machen. Wenn du sie nur beenden möchtest, archiviere sie.
console-page-delete-people = Personen, die mit gelöscht werden: { $count }
console-page-delete-recordings = Aufnahmen, die mit gelöscht werden: { $count }
console-page-delete-now = Endgültig löschen

console-moderation-lead = Was auf Freigabe wartet und was gemeldet wurde, auf allen Namensseiten, die du betreust.

console-fields-lead = Eigene Felder sind das, wonach deine Einrichtung außer dem Namen fragt. Programme lesen und schreiben sie über die API als einfachen Text, unabhängig von ihrer Art.
console-fields-none = Es gibt noch keine eigenen Felder. Lege unten das erste an, zum Beispiel für Pronomen oder einen Abschluss.
console-fields-new = Neues eigenes Feld

console-field-label = Beschriftung
console-field-label-hint = Was die Personen lesen, zum Beispiel „Pronomen“.
console-field-name = Name
console-field-name-hint = Was Programme verwenden: Kleinbuchstaben, Ziffern und Unterstriche, wie gender_pronouns. Er lässt sich später nicht ändern.
console-field-import-key = Schlüssel in Importen und Anfragen
console-field-kind = Art

console-kind-text = Text
console-kind-long-text = Langer Text
console-kind-choice = Eine Auswahl
console-kind-choices = Mehrere zur Auswahl
console-kind-yes-no = Ja oder nein

console-field-options = Was zur Auswahl steht
console-field-options-hint = Nur für Auswahlen: eine pro Zeile, ohne Semikolon. Vorhandene Werte bleiben, wenn du das änderst.
console-field-edited-by = Wer es ändern darf

console-edited-by-person = Die Person selbst
console-edited-by-staff = Nur das Personal. Wo eine Seite danach fragt, antworten die Personen einmal.

console-field-asked = Auf allen Namensseiten
console-field-on-badge = Auf Namensschildern zeigen
console-field-on-badge-hint = Alle, die den Link zu einem Namensschild haben, können es lesen. Pronomen werden immer gezeigt.
console-field-order = Reihenfolge
console-field-up = { $field } nach oben
console-field-down = { $field } nach unten
console-field-create = Eigenes Feld anlegen
console-field-created = Das eigene Feld ist angelegt.
console-field-saved = Das eigene Feld ist gespeichert.
console-field-deleted = Das eigene Feld ist gelöscht.
console-field-pages = Namensseiten mit eigener Einstellung
console-field-pages-lead = Diese Seiten legen selbst fest, ob sie nach diesem Feld fragen. Für alle anderen gilt die Auswahl oben.
console-field-pages-none = Keine Namensseite hat eine eigene Einstellung für dieses Feld.
console-field-page = Namensseite
console-field-page-hint = Das Ende ihrer Adresse oder ihr Veranstaltungscode.
console-field-how = Wie diese Seite danach fragt
console-field-delete = Eigenes Feld löschen
console-field-delete-lead = Damit wird das Feld mit allen Werten gelöscht, auf Seiten und in der API. Das lässt sich nicht rückgängig machen.
console-field-values = Personen mit einem Wert: { $count }
console-field-values-partial = Personen mit einem Wert, von den neuesten { $people }: { $count }
console-field-delete-now = Endgültig löschen

console-set-outdated = Jemand anderes hat das geändert, seit du es geöffnet hast, und nichts wurde gespeichert. Deine Eingaben sind noch da. Wo sie sich vom jetzigen Stand unterscheiden, steht das unter dem Feld. Speichere noch einmal, um deine Eingaben zu verwenden.
console-set-now = Jetzt gespeichert: { $value }
console-set-now-nothing = Jetzt ist hier nichts gespeichert.
console-set-rejected = Noch wurde nichts gespeichert. Bitte prüfe die markierten Felder.
console-set-type-title = Gib zur Bestätigung den Titel ein: { $title }
console-set-type-name = Gib zur Bestätigung den Namen ein: { $name }
console-set-fault-typed = Das ist nicht dasselbe. Nichts wurde gelöscht.
console-set-fault-taken = Das ist schon vergeben. Bitte wähle etwas anderes.
console-set-fault-slug = Bitte nur Kleinbuchstaben, Ziffern und Bindestriche, und keinen Bindestrich am Anfang oder Ende.
console-set-fault-code = Bitte höchstens 100 sichtbare Zeichen ohne Leerzeichen.
console-set-fault-code-short = Bitte mindestens 8 Zeichen.
console-set-fault-field-name = Bitte beginne mit einem Buchstaben und verwende nur Kleinbuchstaben, Ziffern und Unterstriche.
console-set-fault-reserved = Alle haben schon ein Feld namens { $name }. Bitte wähle einen anderen Namen.
console-set-fault-date = Das ist kein Datum. Es sollte so aussehen: 2027-05-31.
console-set-fault-date-needed = Bitte gib ein Datum ein: Aufnahmen sollen einige Tage danach gelöscht werden.
console-set-fault-closing = Das ist kein Datum mit Uhrzeit. Es sollte so aussehen: 2027-05-31 18:00.
console-set-fault-domain = { $domain } ist keine Domain. Sie sollte so aussehen: example.edu.
console-set-fault-domains-needed = Bitte gib mindestens eine Domain ein oder wähle, wer sich sonst eintragen darf.
console-set-fault-many = Das ist zu viel. Bitte verwende höchstens { $most }.
console-set-fault-range = Bitte gib eine Zahl von { $least } bis { $most } ein.
console-set-fault-options = Bitte gib ein, was zur Auswahl steht, eines pro Zeile.
console-set-fault-option = { $option } enthält ein Semikolon, das Auswahlen trennt. Bitte lass es weg.
console-set-fault-page = Diese Namensseite gibt es nicht. Bitte prüfe ihre Adresse.
