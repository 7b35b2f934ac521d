# Eine Namensseite: Registrierung, der eigene Eintrag, das Plakat.

page-date = Datum: { $date }
page-lead = Hier nehmen Menschen auf, wie man ihre Namen ausspricht, damit alle sie richtig sagen. Es dauert etwa eine Minute.
page-closes = Bitte nimm deinen Namen vor dem Ende auf: { $time } ({ $zone }).
page-closed = Diese Seite ist seit { $time } ({ $zone }) geschlossen. Niemand kann sich hier noch registrieren oder etwas aufnehmen.
page-archived = Diese Seite ist archiviert. Hier kann nichts mehr geändert werden.

page-window = Diese Seite in einem eigenen Fenster öffnen
page-own-link = Zu meinem Eintrag
page-register-link = Hier registrieren
page-people-link = Die Namen anhören
page-known = Ich bin schon registriert
page-not-permitted = Du bist als { $email } angemeldet, und diese Seite ist für andere gedacht. Wenn du noch eine andere Adresse hast, melde dich ab und verwende diese. Sonst frag bitte die Leute, die dich hierher geschickt haben.
page-who = Du bist als { $email } angemeldet.

page-ask-title = Los geht’s
page-ask-lead = Gib deine E-Mail-Adresse ein. Wir schicken dir eine Nachricht mit einem Code, damit sich niemand anders in deinem Namen registriert. Du brauchst kein Passwort.
page-ask-later = Im Moment registrieren sich zu viele Menschen. Bitte versuch es in etwa einer Stunde noch einmal.
page-ask-invited = Diese Seite ist für Eingeladene. Wenn du dazugehörst, öffne den Link in deiner Einladung, oder gib hier deine E-Mail-Adresse ein. Wir schicken dir eine Nachricht mit einem Code.
page-ask-closed = Wenn du registriert bist, gib deine E-Mail-Adresse ein, um deinen Eintrag zu sehen. Wir schicken dir eine Nachricht mit einem Code.
page-domains = Bitte verwende eine Adresse bei { $domains }.
page-event-code = Veranstaltungscode
page-event-code-hint = Du findest ihn auf dem Plakat oder in der Nachricht, die dich hierher geführt hat.
page-event-code-missing = Bitte gib den Veranstaltungscode ein.
page-event-code-wrong = Das ist nicht der Veranstaltungscode dieser Seite. Bitte prüfe ihn.
page-code-lead = Wenn sich diese Adresse auf der Seite { $page } registrieren darf oder dort registriert ist, ist eine Nachricht mit einem Code unterwegs. Gib den Code hier ein, oder öffne den Link in der Nachricht. Beide funktionieren einmal, zehn Minuten lang.
page-code-none = Keine Nachricht? Sieh im Spam-Ordner nach, und prüfe die Adresse.
page-code-again = Die Adresse noch einmal eingeben

page-asked-title = Worum wir dich bitten
page-asked-recording = Eine Aufnahme deines Namens: Du kannst sie erst anhören und beliebig oft neu aufnehmen
page-asked-name = Dein Name
page-asked-photo = Ein Foto
page-optional = freiwillig

page-form-title = Dein Name
page-form-lead = Das steht auf der Seite { $page } neben deiner Aufnahme.
page-form-send = Weiter zur Aufnahme
page-first-name = Vorname
page-last-name = Nachname
page-names-hint = Wenn du nur einen Namen hast, lass das andere Feld leer.
page-name-blank = Bitte gib deinen Namen ein.

page-done-registered = Du bist registriert. Nimm jetzt deinen Namen auf.
page-finished = Fertig. Dein Name ist aufgenommen.
page-finished-lead = Danke! Du kannst diese Seite schließen oder noch einmal aufnehmen.
page-held = Die Aufnahme wartet auf Freigabe. Bis dahin können nur du und die Leute, die diese Seite betreuen, sie hören.
page-only = Die neue Aufnahme nur auf dieser Seite verwenden
page-only-hint = Sonst wird sie auf allen deinen Seiten verwendet.
page-missing = Es fehlt noch:
page-me-link = Alle meine Seiten, und wer mich hören darf

page-nav = Diese Seite betreuen
page-nav-page = Seite
page-nav-people = Personen
page-nav-invitations = Einladungen
page-nav-moderation = Moderation
page-nav-messages = Nachrichten
page-nav-import = Import
page-nav-export = Export
page-nav-poster = Plakat

page-poster-how = Wähle dein Papier, und drucke diese Seite mit deinem Browser. Nur das Plakat wird gedruckt.
page-poster-a4 = A4
page-poster-letter = Letter
page-poster-download = QR-Code herunterladen
page-poster-call = Nimm auf, wie man deinen Namen ausspricht
page-poster-scan = Scanne den Code mit deinem Telefon, oder öffne:
page-poster-qr = QR-Code, der zu dieser Namensseite führt
