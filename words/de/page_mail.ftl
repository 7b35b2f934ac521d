# Schreiben zu Namensseiten, die Seite, auf der eine Einrichtung sie ändert, und die Seite, auf der man sie abbestellt. In einem Schreiben
# entfällt eine Zeile, deren Angabe fehlt, und der Link steht in einer eigenen Zeile.

page-mail-invitation-subject = Nimm auf, wie dein Name gesprochen wird: { $page }
page-mail-invitation-text =
    Hallo { $name },

    bitte nimm für { $page } auf, wie dein Name gesprochen wird. Das dauert etwa eine Minute, geht im Browser, und du kannst es jederzeit ändern.

    { $link }

    Aufnahmen sind möglich bis { $closes }.

    Dieser Link ist nur für dich. Bitte gib ihn nicht weiter.
page-mail-reminder-subject = Erinnerung an die Aufnahme deines Namens: { $page }
page-mail-reminder-text =
    Hallo { $name },

    deine Aufnahme für { $page } fehlt noch. Das dauert etwa eine Minute und geht im Browser.

    { $link }

    Aufnahmen sind möglich bis { $closes }.

    Dieser Link ist nur für dich. Bitte gib ihn nicht weiter.
page-mail-rejection-subject = Bitte nimm deinen Namen noch einmal auf: { $page }
page-mail-rejection-text =
    Hallo { $name },

    deine Aufnahme für { $page } wurde nicht angenommen. Das ist der Grund:

    { $reason }

    Du kannst deinen Namen noch einmal aufnehmen:

    { $link }

    Aufnahmen sind möglich bis { $closes }.
page-mail-entry-rejection-subject = Bitte sieh dir deinen Eintrag noch einmal an: { $page }
page-mail-entry-rejection-text =
    Hallo { $name },

    dein Eintrag für { $page } wurde nicht angenommen, deshalb sehen ihn andere nicht. Das ist der Grund:

    { $reason }

    Du kannst ihn hier ändern:

    { $link }

    Aufnahmen sind möglich bis { $closes }.
page-mail-request-subject = Jemand möchte deinen Namen hören: { $page }
page-mail-request-text =
    Hallo { $name },

    jemand auf { $page } möchte deinen Namen richtig aussprechen, und es gibt noch keine Aufnahme davon. Das dauert etwa eine Minute und geht im Browser.

    { $link }

    Aufnahmen sind möglich bis { $closes }.

    Solche Bitten kannst du auf deiner eigenen Seite unter „Bitten um eine Aufnahme“ abschalten.
page-mail-retention-subject = Aufnahmen werden gelöscht: { $page }
page-mail-retention-text =
    Hallo { $name },

    die Aufnahmen von { $page } werden am { $date } gelöscht, deine ist dabei. Du musst nichts tun.

    Wenn du deine Aufnahme behalten möchtest, kannst du sie bis dahin anhören und herunterladen:

    { $link }
page-mail-button-record = Deinen Namen aufnehmen
page-mail-button-page = Seite öffnen
page-mail-why = { $institution } sendet diese Nachricht mit Endonym, damit Namen richtig ausgesprochen werden.
page-mail-stop = Wenn du keine solchen Nachrichten mehr möchtest, öffne diesen Link. E-Mails zum Anmelden, um die du bittest, bekommst du weiterhin.
page-mail-stop-link = Keine solchen Nachrichten mehr
page-mail-stop-title = Nachrichten zu Namensseiten
page-mail-stop-lead = { $institution } kann Nachrichten zu Namensseiten an { $email } senden: Einladungen, Erinnerungen und was mit Aufnahmen geschieht.
page-mail-stop-what = Wenn du sie abbestellst, bekommst du weiterhin die E-Mails zum Anmelden, um die du bittest. Du kannst das hier jederzeit ändern.
page-mail-stop-button = Nachrichten abbestellen
page-mail-stopped = { $institution } sendet keine Nachrichten mehr an { $email }. E-Mails zum Anmelden, um die du bittest, bekommst du weiterhin.
page-mail-start-lead = War das ein Versehen? Dann kannst du wieder Nachrichten bekommen.
page-mail-start-button = Wieder Nachrichten bekommen
page-mail-stop-unknown-title = Dieser Link funktioniert nicht
page-mail-stop-unknown = Bitte prüfe, ob du den ganzen Link aus der Nachricht kopiert hast.
page-mail-page-title = Nachrichten
page-mail-page-lead = Diese Texte gelten für alle Namensseiten von { $institution }. Jede Nachricht ist in der Sprache der Person, die sie bekommt.
page-mail-page-kind = Nachricht
page-mail-page-language = Sprache
page-mail-page-show = Anzeigen
page-mail-kind-invitation = Einladung
page-mail-kind-reminder = Erinnerung
page-mail-kind-rejection = Aufnahme nicht angenommen
page-mail-kind-entry-rejection = Eintrag nicht angenommen
page-mail-kind-request = Bitte um eine Aufnahme
page-mail-kind-retention = Aufnahmen werden gelöscht
page-mail-page-built-in = Das ist der Text, der mit Endonym kommt.
page-mail-page-own = Das ist euer eigener Text.
page-mail-page-unsaved = Dieser Text ist noch nicht gespeichert.
page-mail-page-outdated = Jemand hat den Text geändert, während du geschrieben hast; von dir ist noch nichts gespeichert. So lautet er jetzt. Speichere noch einmal, um ihn zu ersetzen.
page-mail-page-outdated-reset = Jemand ist zum ursprünglichen Text zurückgekehrt, während du geschrieben hast; von dir ist noch nichts gespeichert. Der ursprüngliche Text steht hier. Speichere noch einmal, um ihn zu ersetzen.
page-mail-page-not-reset = Jemand hat den Text geändert, seit du diese Seite geöffnet hast; deshalb wurde der ursprüngliche nicht wiederhergestellt. Der geänderte Text steht hier. Um ihn zu ersetzen, wähle noch einmal „Zurück zum ursprünglichen Text“.
page-mail-page-subject = Betreff
page-mail-page-subject-help = Er kann enthalten: { $placeholders }
page-mail-page-text = Text
page-mail-page-text-help = Er kann enthalten: { $placeholders }. Der Link muss vorkommen. Eine Zeile, deren Angabe fehlt, entfällt. Leerzeilen trennen Absätze.
page-mail-page-preview = Vorschau anzeigen
page-mail-page-reset = Zurück zum ursprünglichen Text
page-mail-page-preview-title = Vorschau
page-mail-page-test-title = Testnachricht
page-mail-page-test-lead = Der gespeicherte Text geht mit erfundenem Inhalt an { $email }.
page-mail-page-test = Testnachricht an mich senden
page-mail-page-saved = Der Text ist gespeichert.
page-mail-page-was-reset = Der ursprüngliche Text wird wieder verwendet.
page-mail-page-tested = Die Testnachricht ist unterwegs.
page-mail-fault-blank = Bitte gib einen Text ein.
page-mail-fault-long = Der Text ist zu lang. Er kann { $most } Zeichen haben.
page-mail-fault-characters = Der Text enthält Zeichen, die nicht gesendet werden können.
page-mail-fault-unknown = { $placeholder } ist kein Platzhalter, der hier ersetzt wird. Bitte prüfe die Schreibweise und die Klammern.
page-mail-fault-missing = Der Text muss { $placeholder } enthalten.
page-mail-sample-page = Beispielseite
page-mail-sample-reason = Die Aufnahme ist zu leise.
