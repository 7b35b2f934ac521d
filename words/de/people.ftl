# The listening page of a name page: the list, asking for a recording, reporting one.

people-title = { $page }: Namen und ihre Aussprache
people-coverage =
    { $recorded ->
        [one] Eine von { $registered } Personen hat ihren Namen aufgenommen.
       *[other] { $recorded } von { $registered } Personen haben ihren Namen aufgenommen.
    }
people-find = Namen suchen
people-find-send = Suchen
people-shown = Welche Personen gezeigt werden
people-everybody = Alle
people-unrecorded = Noch nicht aufgenommen
people-recorded = Aufgenommen
people-letters = Anfangsbuchstaben
people-found =
    { $count ->
        [one] Eine Person.
       *[other] { $count } Personen.
    }
people-found-nobody = Hier heißt niemand { $search }.
people-show-everybody = Alle zeigen
people-all-recorded = Alle haben ihren Namen aufgenommen.
people-nobody = Hier ist noch niemand.
people-pages = Teile der Liste
people-page = Seite { $page } von { $pages }
people-back = Zurück
people-next = Weiter
people-list = Zurück zur Liste
people-play-all = Alle abspielen
people-play-all-file = Alle als eine Datei abspielen
people-stop = Anhalten
people-print = Druckansicht
people-print-now = Drucken
people-keys = Tastatur
people-keys-hint = Zur Liste kommst du mit der Tabulatortaste, oder mit dem Pfeil nach unten aus dem Suchfeld.
people-keys-arrows = Die nächste oder die vorige Person
people-keys-space-name = Leertaste
people-keys-space = Den Namen abspielen oder anhalten
people-keys-home-name = Pos1
people-keys-end-name = Ende
people-keys-ends = Die erste oder die letzte Person
people-name = Name
people-phonetic = Aussprache
people-pronouns = Pronomen
people-recording = Aufnahme
people-inside = Zum Anhören bitte anmelden
people-only-inside = Nur für Personen von { $institution }
people-ask = Um eine Aufnahme bitten
people-ask-outside = Diese Seite in einem eigenen Tab öffnen, um Aufnahmen zu erbitten
people-asked = Danke. Wir geben deine Bitte weiter, höchstens einmal in der Woche und nur, wenn die Person solche Nachrichten bekommen möchte.
people-report = Melden
people-report-label = Den Eintrag von { $name } melden (öffnet sich in einem neuen Tab)
people-report-title = Einen Eintrag melden
people-report-lead = Du meldest den Eintrag von { $name }. Wer diese Seite verwaltet, sieht ihn an und entscheidet.
people-report-about = Was möchtest du melden?
people-report-about-recording = Die Aufnahme
people-report-about-entry = Den Namen, die Lautschrift oder das Bild
people-report-why = Was stimmt damit nicht?
people-report-wrong-person = Es ist der Name oder die Stimme von jemand anderem
people-report-offensive = Sie ist beleidigend
people-report-unintelligible = Sie ist nicht zu verstehen
people-report-sentence = Erzähl uns mehr
people-report-sentence-hint = Ein Satz reicht.
people-report-sentence-fault = Bitte schreib einen Satz mit höchstens 1.000 Zeichen.
people-report-choose = Bitte wähle aus, was nicht stimmt.
people-report-send = Absenden
people-reported = Danke. Wer diese Seite verwaltet, sieht es sich an.
people-too-many-title = Bitte warte ein wenig
people-too-many = Aus deinem Netz kamen zu viele Anfragen. Bitte versuch es in einer Stunde noch einmal.
people-closed-title = Hier kannst du nicht zuhören
people-closed = Nur bestimmte Personen dürfen die Namen auf dieser Seite hören. Wenn du dazugehören solltest, frag bitte, wer die Seite verwaltet, oder melde dich mit einer anderen E-Mail-Adresse an.
people-requests-title = Bitten um eine Aufnahme
people-requests-label = Andere dürfen mich bitten, meinen Namen aufzunehmen
people-requests-hint = Du bekommst höchstens eine Nachricht in der Woche, und nur, solange es keine Aufnahme deines Namens gibt.
people-requests-done = Gespeichert.
