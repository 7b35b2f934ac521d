# Für Mitglieder, die Namensseiten betreuen oder anhören.

member-title = Deine Seiten
member-back = Zurück zu deinen Seiten
member-manage-title = Seiten, die du betreust
member-hear-title = Seiten, die du anhören darfst
member-open-title = Seiten, auf denen du deinen Namen eintragen kannst
member-newest = Hier stehen nur die neuesten Seiten.
member-none = Du hast noch keine Seite. Deine Einrichtung kann dir eine geben.
member-delete-role = Deine Rolle bei der Betreuung von Seiten
member-last-owner-title = Niemand sonst hat die Rolle „Leitung“
member-last-owner = Deine Einrichtung braucht mindestens eine Person mit der Rolle „Leitung“. Bitte gib diese Rolle zuerst einer anderen Person. Danach kannst du alles löschen.

member-export-title = Personen exportieren
member-export-xlsx = Alle Personen, als Tabelle (XLSX)
member-export-csv = Alle Personen, als einfache Tabelle (CSV)
member-export-zip = Alle Aufnahmen, als MP3-Dateien (ZIP)
member-export-vcard = Alle Personen, für ein Adressbuch (vCard)
member-export-hint = Die Dateien enthalten E-Mail-Adressen und andere persönliche Daten. Aufnahmen, die pausiert sind oder auf Freigabe warten, fehlen darin.
