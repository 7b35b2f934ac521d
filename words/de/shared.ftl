# Rahmen, Navigation, Knöpfe und Fehler, die mehrere Bereiche verwenden.

shared-skip = Zum Inhalt springen
shared-language = Sprache
shared-sign-out = Abmelden
shared-save = Speichern
shared-continue = Weiter
shared-blank = Bitte fülle das aus.
shared-cannot-play = Diese Aufnahme lässt sich gerade nicht abspielen. Bitte versuch es gleich noch einmal.
shared-trouble-title = Etwas ist schiefgegangen
shared-trouble = Das liegt an uns. Bitte versuch es gleich noch einmal.
shared-nothing-title = Hier ist nichts
shared-nothing = Die Seite, die du suchst, gibt es nicht.
shared-unreadable-title = Das hat nicht geklappt
shared-unreadable = Dein Browser hat etwas gesendet, das wir nicht lesen konnten. Bitte geh zurück und versuch es noch einmal.
shared-busy = Der Server ist gerade ausgelastet. Bitte versuch es gleich noch einmal.
shared-form-expired-title = Bitte sende das noch einmal
shared-form-expired = Diese Seite war zu lange geöffnet oder wurde von einer anderen Website aus gesendet. Geh zurück, lade die Seite neu und sende sie noch einmal.
