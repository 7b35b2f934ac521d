# Die eigene Seite einer Person.

me-title = Dein Name
me-back = Zurück zu deinem Namen
me-gone-title = Du bist abgemeldet
me-gone = Deine Einrichtung hat hier keinen Eintrag mehr für dich. Wenn das ein Irrtum ist, wende dich bitte an deine Einrichtung.

me-recording-title = Deine Aufnahme
me-recording-play = Deine Aufnahme auf der Seite { $page }
me-recording-none = Andere können deinen Namen noch nicht hören.
me-recording-paused = Deine Aufnahme bleibt gespeichert, und im Moment kann sie niemand hören.
me-recording-only-here = Du hast sie nur für diese Seite aufgenommen.
me-recording-delete = Meine Aufnahme löschen
me-recording-delete-explained = Deine Aufnahme wird von allen deinen Seiten entfernt, und ihre Links funktionieren nicht mehr. Das lässt sich nicht rückgängig machen. Du kannst deinen Namen jederzeit neu aufnehmen.
me-recording-delete-now = Überall löschen
me-recording-delete-page = Die Aufnahme für { $page } löschen
me-recording-delete-page-explained = Diese Aufnahme wird von dieser Seite entfernt, und ihr Link funktioniert nicht mehr. Das lässt sich nicht rückgängig machen.
me-recording-delete-page-now = Von dieser Seite löschen
me-record-for = Aufnehmen für
me-record-for-all = Alle meine Seiten
me-record-for-one = Nur { $page }

me-audience-heading = Privatsphäre
me-directory-hold = Deine Einrichtung hat für dich eine Auskunftssperre gesetzt: Die Öffentlichkeit erfährt nichts über dich. Dein Namensschild ist geschlossen, und du stehst auf keiner öffentlichen Namensseite, egal was du unten auswählst. Nur wer eine deiner Namensseiten verwaltet oder dort unterrichtet, hört deinen Namen, nach der Anmeldung. Um die Sperre zu beenden, frage deine Einrichtung.
me-audience-title = Wer deine Aufnahme hören darf
me-audience-public = Alle, die den Link haben
me-audience-public-hint = Alle, die den Link zu deinem Namen haben, können ihn anhören.
me-audience-institution = Meine Einrichtung
me-audience-institution-hint = Menschen an deiner Einrichtung können deine Aufnahme anhören, in deren eigenen Systemen oder nachdem sie sich angemeldet haben.
me-audience-paused = Im Moment niemand
me-audience-paused-hint = Deine Aufnahme bleibt gespeichert, aber kein Link zu ihr funktioniert, bis du etwas anderes auswählst.

me-details-title = Schriftlich
me-phonetic = Aussprachehilfe
me-phonetic-hint = Schreib deinen Namen so, wie er klingt, zum Beispiel schi-WOHN.
me-phonetic-guide-title = So schreibst du einen Namen, wie er klingt
me-phonetic-guide = Schreib ihn so, dass jemand, der deinen Namen noch nie gesehen hat, ihn richtig liest.
me-phonetic-guide-syllables = Setz einen Bindestrich zwischen die Silben: schi-wohn.
me-phonetic-guide-stress = Schreib den Teil, den du betonst, in Großbuchstaben: schi-WOHN.
me-phonetic-guide-rhyme = Wenn ein Laut schwer zu schreiben ist, nenn ein Wort, das sich reimt: „reimt sich auf Sohn“.
me-notes = Anmerkungen
me-notes-hint = Alles, was andere sonst noch über deinen Namen wissen sollten.

me-call-lead = Du bekommst einen automatischen Anruf und sagst am Telefon deinen Namen.
me-call-soon = Du wirst bald angerufen. Du kannst eine andere Nummer eingeben.
me-call-send = Mich anrufen
me-phone-number = Telefonnummer
me-phone-number-hint = Mit der Ländervorwahl, zum Beispiel +12025550123.

me-done-recording = Deine Aufnahme ist gespeichert.
me-done-deleted = Deine Aufnahme ist gelöscht.
me-done-audience = Deine Auswahl ist gespeichert.
me-done-details = Deine Änderungen sind gespeichert.
me-done-call = Du wirst bald angerufen.

me-fault-long = Das ist zu lang. Bitte verwende höchstens { $most } Zeichen.
me-fault-characters = Das enthält Zeichen, die hier nicht verwendet werden können.
me-fault-phone-blank = Bitte gib eine Telefonnummer ein.
me-fault-phone = Das ist keine Telefonnummer, die wir verwenden können. Sie sollte so aussehen: +12025550123.
me-fault-not-callable = Wir können diese Nummer nicht anrufen. Bitte versuch es mit einer anderen Nummer oder nimm deinen Namen hier auf.
me-fault-too-many-calls = Du wurdest heute zu oft angerufen. Bitte versuch es morgen noch einmal oder nimm deinen Namen hier auf.
me-fault-audience = Deine Einrichtung bietet diese Auswahl nicht an. Bitte wähle etwas anderes.
me-fault-page = Du stehst nicht mehr auf dieser Seite. Bitte lade neu und wähle eine andere.
me-kept-title = Ihre ersetzten Aufnahmen
me-kept-about = Jemand anderes hat Aufnahmen ersetzt, die Sie gemacht haben. Niemand hört Ihre, bis Sie sie wieder einsetzen.
me-kept-replaced = Ersetzt: { $time }.
me-kept-until = Aufbewahrt bis { $time }.
me-kept-put-back = Meine Aufnahme wieder einsetzen
me-kept-done = Ihre Aufnahme ist wieder da.
