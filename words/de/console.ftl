# The console: its frame, overview and search.

console-overview = Übersicht
console-people = Personen
console-name-pages = Namensseiten
console-moderation = Moderation
console-custom-fields = Eigene Felder
console-tokens = Zugriffstoken
console-learning-systems = Lernplattformen
console-phone = Telefon
console-messages = Nachrichten
console-jobs = Exporte und Aufträge
console-settings = Einstellungen
console-members = Mitglieder
console-audit = Protokoll
console-title = Konsole
console-menu = Menü
console-own-page = Deine eigene Seite
console-forbidden-title = Das gehört nicht zu deiner Rolle
console-forbidden = Eine Person mit der Rolle Owner oder Admin in deiner Einrichtung kann das tun oder dir die Rolle geben.
console-sign-in-again = Bitte melde dich dafür noch einmal an.
