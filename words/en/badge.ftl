# The badge, and the player on other sites. What surrounds a player in another site's page is the API's, in English.

badge-title = { $name }: how to say it
badge-description = The name badge of { $name }.
badge-description-recorded = Hear { $name } say it.
badge-description-phonetic = Say it like this: { $phonetic }.
badge-description-both = Say it like this: { $phonetic }. Hear { $name } say it.
badge-say-like = Say it like this:
badge-note = Say it like this: { $phonetic }
badge-recording-of = How { $name } is said
badge-play = Play the name of { $name }
badge-play-legal = Play the legal name of { $name }
badge-none = There is no recording of this name yet.
badge-notes = Notes
badge-legal = Legal name
badge-save-contact = Save contact
badge-save-recording = Save recording
badge-copy = Copy link
badge-copied = Copied
badge-inside-title = You cannot open this name badge
badge-inside = This name badge is only for people of { $institution }. If you should be one of them, please sign out, and sign in with another email.

# The player. The short words must fit a frame of 48 pixels.
badge-player-fault = { $label } (it cannot be played just now)
badge-player-none = There is no recording of { $name } yet.
badge-player-none-legal = There is no recording of the legal name of { $name } yet.
badge-player-none-short = No audio
badge-player-gone = There is no such name here anymore.
badge-player-gone-short = Gone
badge-player-later = The player cannot be shown just now; please try again in a moment.
badge-player-later-short = Not now
