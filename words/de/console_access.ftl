# The console: access tokens.

console-tokens-about = Programme verwenden Zugriffstoken, um Personen deiner Einrichtung über die API zu lesen und zu ändern.
console-tokens-docs = Referenz der API
console-tokens-none = Es gibt keine gültigen Zugriffstoken. Erstelle für jedes Programm ein eigenes, damit du es einzeln widerrufen kannst.
console-tokens-new = Neues Zugriffstoken
console-tokens-show-ended = Auch abgelaufene und widerrufene Token zeigen
console-tokens-hide-ended = Nur gültige Token
console-tokens-name = Name
console-tokens-name-hint = Welches Programm das Token verwendet, zum Beispiel „Campusmanagement“.
console-tokens-state = Status
console-tokens-active = Gültig
console-tokens-replaced = Ersetzt, noch gültig
console-tokens-expired = Abgelaufen
console-tokens-revoked = Widerrufen
console-tokens-soon = Läuft bald ab
console-tokens-replacement = Das Token, das es ersetzt
console-tokens-scope = Berechtigungen
console-tokens-read = Lesen
console-tokens-read-hint = Listen, Suchen und Abfragen von Personen, und Lesen von Exporten.
console-tokens-write = Lesen und schreiben
console-tokens-write-hint = Erstellt, ändert und löscht auch Personen und Aufnahmen.
console-tokens-sync = Kurse synchronisieren
console-tokens-sync-hint = Startet die Synchronisierung von Kursen mit deiner Lernplattform und sonst nichts.
console-tokens-everything = Alles
console-tokens-everything-hint = Liest, schreibt und synchronisiert Kurse.
console-tokens-pages = Namensseiten
console-tokens-all-pages = Alle Namensseiten
console-tokens-all-pages-hint = Auch solche, die später angelegt werden.
console-tokens-some-pages = Nur diese Namensseiten
console-tokens-no-pages = Keine mehr
console-tokens-pages-none = Bitte wähle mindestens eine Namensseite aus.
console-tokens-pages-many = Das sind zu viele. Bitte wähle höchstens { $most } Namensseiten aus, oder alle.
console-tokens-rows = Zeilen
console-tokens-newest = Eine Zeile für jede Person
console-tokens-newest-hint = Ist jemand auf mehreren Namensseiten, liefert eine Abfrage nach E-Mail oder ID nur den Eintrag mit der neuesten Aufnahme.
console-tokens-held = Personen mit Auskunftssperre einschließen
console-tokens-held-hint = Andere Token zeigen diese Personen so, als hätten sie nichts aufgenommen. Nur für Programme, die allein vom Personal verwendet werden.
console-tokens-held-short = Auskunftssperre
console-tokens-maker = Erstellt von
console-tokens-maker-unknown = Nicht bekannt
console-tokens-maker-left = Nicht mehr dabei
console-tokens-created = Erstellt
console-tokens-used = Zuletzt verwendet
console-tokens-never-used = Nie
console-tokens-expires = Läuft ab
console-tokens-forever = Läuft nicht ab
console-tokens-life = Wie lange das Token gültig ist
console-tokens-days =
    { $count ->
        [one] { $count } Tag
       *[other] { $count } Tage
    }
console-tokens-hours =
    { $count ->
        [one] { $count } Stunde
       *[other] { $count } Stunden
    }
console-tokens-create = Token erstellen
console-tokens-made-title = Das neue Token
console-tokens-made-once = Das wird nur jetzt angezeigt. Kopiere es dorthin, wo es verwendet wird: Wir speichern keine Kopie davon.
console-tokens-overlap = Das alte Token ist bis { $until } gültig. Ersetze es vorher überall.
console-tokens-secret = Token
console-tokens-copy-secret = Token kopieren
console-tokens-copy-curl = Befehl kopieren
console-tokens-copied = Kopiert
console-tokens-curl-title = Ausprobieren
console-tokens-curl-about = Füge diese Zeile in ein Terminal ein. Sie listet Personen deiner Einrichtung auf.
console-tokens-curl-sync = Füge diese Zeile in ein Terminal ein. Ersetze darin API_TOKEN durch das API-Token einer Lernplattform und COURSE_ID durch die ID eines Kurses.
console-tokens-go-on = Ich habe es kopiert
console-tokens-requests = Anfragen, 30 Tage
console-tokens-requests-title = Anfragen pro Tag
console-tokens-requests-sum =
    { $count ->
        [one] { $count } Anfrage in den letzten 30 Tagen.
       *[other] { $count } Anfragen in den letzten 30 Tagen.
    }
console-tokens-chart = Anfragen pro Tag, höchstens { $most }
console-tokens-since = Von { $day } bis heute
console-tokens-by-day = Zahlen nach Tag
console-tokens-day = Tag
console-tokens-counted = Anfragen erscheinen hier nach einigen Sekunden.
console-tokens-rotate-title = Token ersetzen
console-tokens-rotate-about = Du erhältst ein neues Token mit denselben Berechtigungen. Das alte bleibt eine Weile gültig, damit nichts unterbrochen wird.
console-tokens-overlap-label = Das alte Token bleibt gültig
console-tokens-overlap-none = Gar nicht
console-tokens-rotate = Neues Token erstellen
console-tokens-revoke-title = Token widerrufen
console-tokens-revoke-about = Es ist innerhalb einer Sekunde ungültig und kann nicht wieder gültig gemacht werden.
console-tokens-revoke-confirm = Programme, die dieses Token verwenden, funktionieren dann nicht mehr
console-tokens-revoke-unconfirmed = Bitte bestätige das.
console-tokens-revoke = Token widerrufen
console-tokens-done-revoked = Das Token wurde widerrufen.
