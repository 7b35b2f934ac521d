# Die Startseite und Fehlerseiten. Die API-Referenz gibt es nur auf Englisch.

pages-site = Website
pages-reference = API-Referenz
pages-home-title = Endonym: Namen hören, wie ihre Besitzer sie aussprechen
pages-home-heading = Namen hören, wie ihre Besitzer sie aussprechen
pages-home-lead = Das ist ein Endonym-Server. Menschen nehmen auf, wie man ihren Namen ausspricht; Verzeichnisse, Lernplattformen und andere Anwendungen zeigen die Namen und spielen die Aufnahmen ab.
pages-home-promise = Clients der Name Pronunciation Integration API, Versionen 5 bis 2, funktionieren hier unverändert: Nur die Basis-URL ist eine andere.
pages-base-url = Basis-URL
pages-developers = Für Entwicklerinnen und Entwickler
pages-reference-link = API-Referenz (Englisch)
pages-reference-about = Jede Operation mit ihren Parametern und Antworten und einem Befehl zum Ausprobieren.
pages-openapi = OpenAPI-Dokument, { $version }
pages-openapi-about = Für Werkzeuge, die Clients und Tests erzeugen.
pages-operators = Für den Betrieb
pages-healthz = Läuft der Prozess?
pages-readyz = Kann der Server Anfragen annehmen: Ist die Datenbank erreichbar und auf dem neuesten Stand?
pages-go-home = Zur Startseite
pages-method-title = Das gibt es hier nicht
pages-method = { $method } wird unter dieser Adresse nicht angeboten.
