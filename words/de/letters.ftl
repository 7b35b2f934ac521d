# Schreiben zu Namensseiten, die Seite, auf der eine Einrichtung sie ändert, und die Seite, auf der man sie abbestellt. In einem Schreiben
# entfällt eine Zeile, deren Angabe fehlt, und der Link steht in einer eigenen Zeile.

letters-invitation-subject = Nimm auf, wie dein Name gesprochen wird: { $page }
letters-invitation-text =
    Hallo { $name },

    bitte nimm für { $page } auf, wie dein Name gesprochen wird. Das dauert etwa eine Minute, geht im Browser, und du kannst es jederzeit ändern.

    { $link }

    Aufnahmen sind möglich bis { $closes }.

    Dieser Link ist nur für dich. Bitte gib ihn nicht weiter.
letters-reminder-subject = Erinnerung an die Aufnahme deines Namens: { $page }
letters-reminder-text =
    Hallo { $name },

    deine Aufnahme für { $page } fehlt noch. Das dauert etwa eine Minute und geht im Browser.

    { $link }

    Aufnahmen sind möglich bis { $closes }.

    Dieser Link ist nur für dich. Bitte gib ihn nicht weiter.
letters-rejection-subject = Bitte nimm deinen Namen noch einmal auf: { $page }
letters-rejection-text =
    Hallo { $name },

    deine Aufnahme für { $page } wurde nicht angenommen. Das ist der Grund:

    { $reason }

    Du kannst deinen Namen noch einmal aufnehmen:

    { $link }

    Aufnahmen sind möglich bis { $closes }.
letters-request-subject = Jemand möchte deinen Namen hören: { $page }
letters-request-text =
    Hallo { $name },

    jemand auf { $page } möchte deinen Namen richtig aussprechen, und es gibt noch keine Aufnahme davon. Das dauert etwa eine Minute und geht im Browser.

    { $link }

    Aufnahmen sind möglich bis { $closes }.

    Solche Bitten kannst du auf deiner eigenen Seite unter „Bitten um eine Aufnahme“ abschalten.
letters-retention-subject = Aufnahmen werden gelöscht: { $page }
letters-retention-text =
    Hallo { $name },

    die Aufnahmen von { $page } werden am { $date } gelöscht, deine ist dabei. Du musst nichts tun.

    Wenn du deine Aufnahme behalten möchtest, kannst du sie bis dahin anhören und herunterladen:

    { $link }
letters-button-record = Deinen Namen aufnehmen
letters-button-page = Seite öffnen
letters-why = { $institution } sendet diese Nachricht mit Endonym, damit Namen richtig ausgesprochen werden.
letters-stop = Wenn du keine solchen Nachrichten mehr möchtest, öffne diesen Link. E-Mails zum Anmelden, um die du bittest, bekommst du weiterhin.
letters-stop-link = Keine solchen Nachrichten mehr
letters-stop-title = Nachrichten zu Namensseiten
letters-stop-lead = { $institution } kann Nachrichten zu Namensseiten an { $email } senden: Einladungen, Erinnerungen und was mit Aufnahmen geschieht.
letters-stop-what = Wenn du sie abbestellst, bekommst du weiterhin die E-Mails zum Anmelden, um die du bittest. Du kannst das hier jederzeit ändern.
letters-stop-button = Nachrichten abbestellen
letters-stopped = { $institution } sendet keine Nachrichten mehr an { $email }. E-Mails zum Anmelden, um die du bittest, bekommst du weiterhin.
letters-start-lead = War das ein Versehen? Dann kannst du wieder Nachrichten bekommen.
letters-start-button = Wieder Nachrichten bekommen
letters-stop-unknown-title = Dieser Link funktioniert nicht
letters-stop-unknown = Bitte prüfe, ob du den ganzen Link aus der Nachricht kopiert hast.
letters-page-title = Nachrichten
letters-page-lead = Diese Texte gelten für alle Namensseiten von { $institution }. Jede Nachricht ist in der Sprache der Person, die sie bekommt.
letters-page-kind = Nachricht
letters-page-language = Sprache
letters-page-show = Anzeigen
letters-kind-invitation = Einladung
letters-kind-reminder = Erinnerung
letters-kind-rejection = Aufnahme nicht angenommen
letters-kind-request = Bitte um eine Aufnahme
letters-kind-retention = Aufnahmen werden gelöscht
letters-page-built-in = Das ist der Text, der mit Endonym kommt.
letters-page-own = Das ist euer eigener Text.
letters-page-unsaved = Dieser Text ist noch nicht gespeichert.
letters-page-outdated = Jemand hat den Text geändert, während du geschrieben hast; von dir ist noch nichts gespeichert. So lautet er jetzt. Speichere noch einmal, um ihn zu ersetzen.
letters-page-outdated-reset = Jemand ist zum ursprünglichen Text zurückgekehrt, während du geschrieben hast; von dir ist noch nichts gespeichert. Der ursprüngliche Text steht hier. Speichere noch einmal, um ihn zu ersetzen.
letters-page-not-reset = Jemand hat den Text geändert, seit du diese Seite geöffnet hast; deshalb wurde der ursprüngliche nicht wiederhergestellt. Der geänderte Text steht hier. Um ihn zu ersetzen, wähle noch einmal „Zurück zum ursprünglichen Text“.
letters-page-subject = Betreff
letters-page-subject-help = Er kann enthalten: { $placeholders }
letters-page-text = Text
letters-page-text-help = Er kann enthalten: { $placeholders }. Der Link muss vorkommen. Eine Zeile, deren Angabe fehlt, entfällt. Leerzeilen trennen Absätze.
letters-page-preview = Vorschau anzeigen
letters-page-reset = Zurück zum ursprünglichen Text
letters-page-preview-title = Vorschau
letters-page-test-title = Testnachricht
letters-page-test-lead = Der gespeicherte Text geht mit erfundenem Inhalt an { $email }.
letters-page-test = Testnachricht an mich senden
letters-page-saved = Der Text ist gespeichert.
letters-page-was-reset = Der ursprüngliche Text wird wieder verwendet.
letters-page-tested = Die Testnachricht ist unterwegs.
letters-fault-blank = Bitte gib einen Text ein.
letters-fault-long = Der Text ist zu lang. Er kann { $most } Zeichen haben.
letters-fault-characters = Der Text enthält Zeichen, die nicht gesendet werden können.
letters-fault-unknown = { $placeholder } ist kein Platzhalter, der hier ersetzt wird. Bitte prüfe die Schreibweise und die Klammern.
letters-fault-missing = Der Text muss { $placeholder } enthalten.
letters-sample-page = Beispielseite
letters-sample-reason = Die Aufnahme ist zu leise.
