# Die Aufnahme. Anstelle von %s setzt das Skript eine Dauer ein, zum Beispiel „2 Sekunden“, in recorder-chosen den Namen einer Datei.

recorder-record = Meinen Namen aufnehmen
recorder-stop = Stopp
recorder-play = Abspielen
recorder-again = Neu aufnehmen
recorder-keep = Diese Aufnahme verwenden
recorder-retry = Noch einmal versuchen
recorder-file = Stattdessen eine Datei hochladen
recorder-phone = Auf dem Handy weitermachen
recorder-call = Stattdessen anrufen lassen
recorder-own-window = In einem eigenen Fenster öffnen
recorder-countdown = Vorher herunterzählen: 3, 2, 1
recorder-others = Andere Wege
recorder-time-left = Verbleibende Zeit
recorder-progress = Hochladen

recorder-ready = Drück auf den Knopf und sag deinen Namen so, wie du ihn gern hörst. Du kannst ihn dir anhören, bevor andere es tun.
recorder-asking = Bitte erlaube den Zugriff auf das Mikrofon. Dein Browser fragt dich gerade danach.
recorder-get-ready = Gleich geht es los …
recorder-recording = Aufnahme läuft. Drück auf „Stopp“, wenn du fertig bist.
recorder-not-heard = Wir hören noch nichts. Sprich etwas lauter oder prüf, ob dein Mikrofon eingeschaltet ist.
recorder-working = Einen Moment …
recorder-take = Deine Aufnahme dauert %s. Hör sie dir an, verwende sie oder nimm neu auf.
recorder-chosen = Deine Datei: %s. Hör sie dir an oder verwende sie.

# Hinweise vor dem Senden.
recorder-silent = In der Aufnahme ist keine Stimme zu hören. Prüf, ob das richtige Mikrofon eingeschaltet ist, und nimm neu auf.
recorder-short = Die Aufnahme ist sehr kurz. Nimm neu auf und sag deinen ganzen Namen.
recorder-cut = Der Anfang scheint zu fehlen. Nimm neu auf und warte auf die Worte „Aufnahme läuft“, bevor du sprichst.
recorder-clipped = Die Aufnahme ist zu laut und klingt verzerrt. Nimm neu auf, mit etwas mehr Abstand zum Mikrofon.
recorder-quiet = Die Aufnahme ist sehr leise. Nimm neu auf, näher am Mikrofon; wir machen sie dann lauter.
recorder-noisy = Um dich herum ist es sehr laut. Nimm an einem ruhigeren Ort neu auf; wir dämpfen dann die Geräusche.
recorder-unplayable = Dieser Browser kann die Aufnahme vor dem Speichern nicht abspielen. Du kannst sie verwenden und danach anhören.
recorder-empty = Dein Browser hat nichts aufgenommen. Bitte nimm neu auf oder wähle unten einen anderen Weg.
recorder-interrupted = Die Aufnahme wurde unterbrochen, zum Beispiel durch einen Anruf. Es wurde nichts gespeichert. Bitte nimm neu auf.

# Senden.
recorder-sending = Deine Aufnahme wird gespeichert …
recorder-kept = Gespeichert. So hören andere deinen Namen.
recorder-offline = Die Verbindung ist abgebrochen. Deine Aufnahme ist noch da: Versuch es noch einmal, sobald du wieder online bist.
recorder-busy = Gerade nehmen sehr viele Menschen auf. Deine Aufnahme ist noch da: Versuch es gleich noch einmal.
recorder-signed-out = Deine Sitzung ist abgelaufen: Melde dich in einem anderen Tab an und versuch es dann noch einmal. Deine Aufnahme ist noch da.
recorder-refused = Wir können diese Aufnahme nicht verwenden. Bitte nimm neu auf oder wähle eine andere Datei.
recorder-trouble = Bei uns ist etwas schiefgegangen. Deine Aufnahme ist noch da: Bitte versuch es noch einmal.

# Wenn es kein Mikrofon gibt.
recorder-denied = Diese Seite darf dein Mikrofon nicht benutzen. Erlaube es in der Adressleiste oder in den Einstellungen des Browsers und drück noch einmal auf den Knopf, oder wähle unten einen anderen Weg.
recorder-none-found = Wir haben kein Mikrofon gefunden. Schließ eines an und drück noch einmal auf den Knopf, oder wähle unten einen anderen Weg.
recorder-in-use = Eine andere App benutzt gerade dein Mikrofon. Beende sie, zum Beispiel einen Videoanruf, und drück noch einmal auf den Knopf.
recorder-not-secure = Dein Browser erlaubt Aufnahmen nur auf sicheren Seiten (https), und diese ist keine. Bitte wähle unten einen anderen Weg.
recorder-framed = Die Website um diese Seite herum lässt nicht zu, dass sie dein Mikrofon benutzt. Öffne sie in einem eigenen Fenster oder wähle unten einen anderen Weg.
recorder-unsupported = Dieser Browser kann nicht aufnehmen. Bitte wähle unten einen anderen Weg.
recorder-found = Jetzt ist ein Mikrofon angeschlossen. Drück zum Aufnehmen auf den Knopf.

# Eine Datei.
recorder-file-label = Eine Aufnahme deines Namens
recorder-file-hint = Ein paar Sekunden, in einem üblichen Audioformat.
recorder-file-send = Hochladen

# Auf dem Handy.
recorder-phone-how = Scanne diesen Code mit der Kamera deines Handys. Er funktioniert einmal, zehn Minuten lang.
recorder-phone-code = Code zum Scannen mit dem Handy
recorder-phone-address = Oder öffne diese Adresse auf deinem Handy:
recorder-phone-waiting = Wir warten auf dein Handy. Diese Seite merkt, wenn deine Aufnahme angekommen ist.
recorder-phone-failed = Wir konnten gerade keinen Code erstellen. Bitte versuch es gleich noch einmal.
recorder-phone-expired = Der Code ist abgelaufen. Bitte fordere einen neuen an.
recorder-arrived = Deine Aufnahme ist von deinem Handy angekommen. So hören andere deinen Namen.

# Ablehnungen des Servers.
recorder-fault-no-file = Bitte wähle zuerst eine Datei aus.
recorder-fault-too-large = Diese Datei ist zu groß für die Aufnahme eines Namens. Bitte wähle eine kleinere.
recorder-fault-not-sound = Das ist keine Aufnahme, die wir lesen können. Bitte wähle eine Datei im Format WAV, MP3, M4A, AAC, Ogg, WebM oder FLAC.
recorder-fault-damaged = Diese Aufnahme ist beschädigt oder unvollständig. Bitte nimm neu auf oder wähle die Datei noch einmal aus.
recorder-fault-closed = Diese Namensseite ist geschlossen und nimmt keine Aufnahmen mehr an.
recorder-fault-unusual = Diese Art von Aufnahme können wir nicht lesen. Bitte nimm hier neu auf oder wähle eine andere Datei.
recorder-fault-too-long =
    { $seconds ->
        [one] Diese Aufnahme ist länger als { $seconds } Sekunde. Bitte sag nur deinen Namen.
       *[other] Diese Aufnahme ist länger als { $seconds } Sekunden. Bitte sag nur deinen Namen.
    }
recorder-fault-too-short = Diese Aufnahme ist zu kurz. Bitte sag deinen ganzen Namen.
recorder-fault-silent = In dieser Aufnahme ist nichts zu hören. Bitte prüf dein Mikrofon und nimm neu auf.
