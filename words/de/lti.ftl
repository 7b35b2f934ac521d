# Seiten in Lernplattformen.

lti-course-title = { $course }: Namen und wie man sie ausspricht
lti-own-title = { $name }: wie man den Namen ausspricht
lti-time = { $day }. { $month ->
        [1] Januar
        [2] Februar
        [3] März
        [4] April
        [5] Mai
        [6] Juni
        [7] Juli
        [8] August
        [9] September
        [10] Oktober
        [11] November
       *[12] Dezember
    } { $year }, { $time } Uhr ({ $zone })

# Der Kurs, für Lehrende. why ist eine Meldung der Lernplattform oder des Servers, auf Englisch.
lti-sync-fetching = Die Liste wird gerade von deiner Lernplattform geholt.
lti-sync-running = Wird gerade abgeglichen. Stand der Liste: { $time }.
lti-sync-done = Mit deiner Lernplattform abgeglichen: { $time }.
lti-sync-none = Noch nicht mit deiner Lernplattform abgeglichen.
lti-sync-fetch-failed = Die Liste konnte nicht geholt werden: { $why }.
lti-sync-failed = Stand der Liste: { $time }. Der letzte Abgleich hat nicht geklappt: { $why }.
lti-sync-ended = Der Abgleich ist beendet.
lti-sync-show = Neue Liste anzeigen
lti-sync-again = Noch einmal nachsehen
lti-sync-now = Jetzt abgleichen
lti-note = Nicht alles ist aus deiner Lernplattform mitgekommen. Wer sie administriert oder diese Website betreibt, kann sehen, warum.
lti-own-why = Deine Studierenden können hören, wie man deinen Namen ausspricht.
lti-own-add = Eigenen Namen hinzufügen
lti-own-change = Eigenen Eintrag ändern
lti-own-link = Dein eigener Name
lti-find = Namen suchen
lti-find-send = Suchen
lti-shown = Welche Personen angezeigt werden
lti-everybody = Alle
lti-unrecorded = Noch nicht aufgenommen
lti-first = Das dauert einen Moment. Die Namen erscheinen hier von selbst.
lti-found =
    { $count ->
        [one] { $count } Person gefunden.
       *[other] { $count } Personen gefunden.
    }
lti-found-nobody = Hier heißt niemand { $search }.
lti-show-everybody = Alle anzeigen
lti-all-recorded = Alle haben ihren Namen aufgenommen.
lti-nobody = In diesem Kurs ist noch niemand.
lti-pages = Seiten
lti-page = Seite { $page } von { $pages }
lti-back = Zurück
lti-next = Weiter
lti-staff = Lehrende in diesem Kurs

# Der eigene Eintrag.
lti-play-own = Deine Aufnahme abspielen
lti-only-here = Nur für diesen Kurs
lti-only-here-hint = Sonst wird deine Aufnahme in allen deinen Kursen verwendet.
lti-is-only-here = Du hast sie nur für diesen Kurs aufgenommen.
lti-called = Du wirst bald angerufen. Sag deinen Namen, wenn du dazu aufgefordert wirst.
lti-called-at = Du wirst unter { $number } angerufen. Sag deinen Namen, wenn du dazu aufgefordert wirst.
lti-saved = Gespeichert.
lti-delete-explained = Deine Aufnahme wird aus diesem Kurs entfernt, und ihr Link funktioniert nicht mehr. Das lässt sich nicht rückgängig machen. Du kannst deinen Namen jederzeit neu aufnehmen.
lti-withdraw-explained = Deine Aufnahme wird gelöscht, und ein Anruf, auf den du wartest, wird abgesagt. Um deinen Namen wieder aufzunehmen, musst du nur erneut zustimmen.
lti-own-page = Deine eigene Seite: wer deine Aufnahme hören darf, dein Foto und alles andere
lti-own-page-hint = Sie öffnet sich in einem neuen Tab. Vielleicht musst du dich dort anmelden.
lti-another-number = Eine andere Telefonnummer
lti-signed-out = Deine Sitzung ist abgelaufen: Öffne diese Seite in einem anderen Tab noch einmal aus deinem Kurs und nimm deinen Namen dort auf. Bis dahin bleibt deine Aufnahme hier.

# Einen Link zu einem Kurs hinzufügen.
lti-link-title = Einen Link zu deinem Kurs hinzufügen
lti-link-lead = Lehrende finden dort die Namen aller mit ihren Aufnahmen. Studierende finden dort ihren eigenen Namen und können ihn aufnehmen.
lti-link-label = Titel des Links
lti-link-default = Namen und wie man sie ausspricht
lti-link-add = Hinzufügen
lti-link-cancel = Abbrechen
lti-return-title = Zurück zu deinem Kurs
lti-return-link = Der Link wird an deine Lernplattform übergeben.
lti-return-none = Deinem Kurs wird nichts hinzugefügt.
lti-return-press = Wenn nichts passiert, drück auf den Knopf.

# Anmeldung einer Lernplattform, für deren Administration.
lti-register-link-title = Gib diesen Link deiner Lernplattform
lti-register-link = Dieser Link ist für deine Lernplattform: Füg ihn dort als Registrierungs-URL ein, wo ein neues LTI-Tool registriert wird.
lti-register-link-where = In Moodle ist das unter Website-Administration, Plugins, Externes Tool, Tools verwalten. Such in anderen nach dynamischer Registrierung.
lti-registered-title = Registriert
lti-registered = { $name } ist registriert, unter der ID { $id }.
lti-registered-activate = Vielleicht muss das Tool in deiner Lernplattform erst aktiviert werden, bevor es verwendet werden kann.
lti-registered-unconfirmed = Niemand kommt herein, bis wer diese Website betreibt, sie mit { $command } bestätigt hat.
lti-updated-title = Aktualisiert
lti-updated = { $name } ist auf dem neuesten Stand, unter der ID { $id }.
lti-updated-kept = Alles, was hier eingerichtet war, bleibt, wie es war.
lti-no-deployment = Deine Lernplattform hat ihre Deployment-ID nicht gesendet. Wer diese Website betreibt, trägt sie mit { $command } und der ID nach, die deine Lernplattform anzeigt.

# Was man tun kann.
lti-reopen = Bitte öffne die Seite noch einmal aus deinem Kurs.
lti-contact = Wenn das nicht hilft, wende dich bitte an die Administration deiner Lernplattform.
lti-tell = Bitte wende dich an die Administration deiner Lernplattform.
lti-go-back = Du kannst zu deinem Kurs zurückgehen.

# Ablehnungen.
lti-too-large = Was gesendet wurde, ist zu groß.
lti-too-slow = Was gesendet wurde, hat zu lange gebraucht.
lti-incomplete-title = Hier gibt es nichts zu öffnen
lti-incomplete = Diese Adresse ist für Lernplattformen; die senden mehr, als hier angekommen ist.
lti-unknown-platform-title = Diese Lernplattform ist hier nicht bekannt
lti-unknown-platform = Sie wurde nicht registriert, oder ihr Issuer und ihre Client-ID sind andere als die registrierten. Oder sie benutzt eine andere Adresse dieser Website als die, die ihr genannt wurde.
lti-disabled-title = Diese Verbindung ist abgeschaltet
lti-disabled = Die Verbindung zwischen deiner Lernplattform und dieser Website wurde abgeschaltet.
lti-unconfirmed-title = Diese Verbindung ist noch nicht bestätigt
lti-unconfirmed = Es ist noch nicht sicher, dass die Lernplattform die ist, für die sie sich ausgibt. Bis das bestätigt ist, kommt niemand herein.
lti-foreign-title = Dieser Link führt woandershin
lti-foreign = Der Link in deinem Kurs führt zu einer Adresse, die nicht zu dieser Website gehört.
lti-used-title = Das wurde schon geöffnet
lti-used = Jeder Aufruf aus deinem Kurs funktioniert einmal und nur einige Minuten lang.
lti-browser-title = Dein Browser verhindert, dass diese Seite hier funktioniert
lti-browser = Er lässt nicht zu, dass diese Website innerhalb deiner Lernplattform ein Cookie speichert. Deshalb können wir nicht feststellen, ob wirklich du sie geöffnet hast.
lti-browser-window = In einem eigenen Fenster funktioniert sie.
lti-platform-title = Deine Lernplattform hat dich nicht hereingelassen
lti-platform = Ihre Meldung: { $said }
lti-no-keys-title = Deine Lernplattform ist gerade nicht erreichbar
lti-no-keys = Ihre öffentlichen Schlüssel, mit denen ihre Nachrichten geprüft werden, lassen sich nicht abrufen.
lti-deployment-title = Dieses Deployment ist hier nicht bekannt
lti-deployment = Deine Lernplattform nennt es { $deployment }.
lti-deployment-add = Wer diese Website betreibt, kann es mit { $command } hinzufügen.
lti-no-links-title = Hier lässt sich kein Link hinzufügen
lti-no-links = Deine Lernplattform möchte etwas anderes als einen Link.
lti-untrusted-title = Diese Seite kann nicht geöffnet werden
lti-untrusted = Was deine Lernplattform gesendet hat, ist nicht so, wie es sein sollte. Deshalb können wir dem nicht vertrauen.
lti-no-course-title = Das ist kein Kurs
lti-no-course = Die Seiten hier gehören zu Kursen, und der Link wurde außerhalb eines Kurses geöffnet.
lti-no-part-title = Hier gibt es für dich nichts zu tun
lti-no-part = Diese Seiten sind für alle, die in einem Kurs lehren oder lernen.
lti-preview-title = Du siehst dir das in der Studierendenansicht an
lti-preview = Studierende dieses Kurses finden hier ihren eigenen Namen. Sie können ihn anhören, aufschreiben, wie man ihn ausspricht, und ihn aufnehmen.
lti-preview-unlisted = Du wirst nicht in die Liste der Studierenden aufgenommen.
lti-anonymous-title = Deine Lernplattform teilt nicht mit, wer du bist
lti-anonymous = Ohne diese Angabe kann dein Name nicht angezeigt werden.
lti-closed-title = Diese Seite ist geschlossen
lti-closed = Sie war mehrere Stunden lang geöffnet oder wurde in einem anderen Browser geöffnet.
lti-invite-title = Diese Einladung kann nicht verwendet werden
lti-invite = Lernplattformen registrieren sich mit einem Link, der einmal und sieben Tage lang funktioniert. Wer diese Website betreibt, erstellt ihn mit { $command }.
lti-registration-title = Die Registrierung hat nicht geklappt
lti-registration = Grund: { $why }.
lti-registration-again = Der Link kann noch einmal verwendet werden.
lti-too-many-title = Zu viele auf einmal
lti-too-many = Aus deinem Netz wurden mehr Seiten geöffnet, als gleichzeitig möglich sind. Bitte versuch es in einer Minute noch einmal.
