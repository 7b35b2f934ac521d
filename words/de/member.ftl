# Für Mitglieder, die Namensseiten betreuen oder anhören.

member-title = Deine Seiten
member-manage-title = Seiten, die du betreust
member-hear-title = Seiten, die du anhören darfst
member-open-title = Seiten, auf denen du deinen Namen eintragen kannst
member-newest = Hier stehen nur die neuesten Seiten.
member-none = Du hast noch keine Seite. Deine Einrichtung kann dir eine geben.
member-delete-role = Deine Rolle bei der Betreuung von Seiten
member-last-owner-title = Niemand sonst hat die Inhaberrolle
member-last-owner = Deine Einrichtung braucht mindestens eine Person mit der Inhaberrolle. Bitte gib diese Rolle zuerst einer anderen Person. Danach kannst du alles löschen.
