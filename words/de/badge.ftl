# Das Namensschild und der Player auf anderen Websites.

badge-title = { $name }: so wird der Name ausgesprochen
badge-description = Das Namensschild von { $name }.
badge-description-recorded = Hör dir an, wie { $name } den Namen ausspricht.
badge-description-phonetic = So wird der Name ausgesprochen: { $phonetic }.
badge-description-both = So wird der Name ausgesprochen: { $phonetic }. Hör dir an, wie { $name } ihn sagt.
badge-say-like = Aussprache:
badge-note = Aussprache: { $phonetic }
badge-recording-of = Aussprache von { $name }
badge-play = Den Namen von { $name } abspielen
badge-play-legal = Den amtlichen Namen von { $name } abspielen
badge-none = Von diesem Namen gibt es noch keine Aufnahme.
badge-notes = Anmerkungen
badge-legal = Amtlicher Name
badge-save-contact = Kontakt speichern
badge-save-recording = Aufnahme speichern
badge-copy = Link kopieren
badge-copied = Kopiert
badge-inside-title = Du kannst dieses Namensschild nicht öffnen
badge-inside = Dieses Namensschild ist nur für Personen von { $institution }. Wenn du dazugehören solltest, melde dich bitte ab und mit einer anderen E-Mail-Adresse wieder an.

# Der Player. Die kurzen Wörter müssen in einen Rahmen von 48 Pixeln passen.
badge-player-fault = { $label } (gerade nicht möglich)
badge-player-none = Von { $name } gibt es noch keine Aufnahme.
badge-player-none-legal = Vom amtlichen Namen von { $name } gibt es noch keine Aufnahme.
badge-player-none-short = Kein Ton
badge-player-gone = Diesen Namen gibt es hier nicht mehr.
badge-player-gone-short = Weg
badge-player-later = Der Player kann gerade nicht angezeigt werden; bitte versuch es gleich noch einmal.
badge-player-later-short = Später
