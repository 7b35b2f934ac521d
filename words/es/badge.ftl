# La tarjeta, y el reproductor en otros sitios.

badge-title = { $name }: cómo se pronuncia
badge-description = La tarjeta con el nombre de { $name }.
badge-description-recorded = Escucha cómo { $name } dice su nombre.
badge-description-phonetic = Se pronuncia así: { $phonetic }.
badge-description-both = Se pronuncia así: { $phonetic }. Escucha cómo { $name } dice su nombre.
badge-say-like = Se pronuncia así:
badge-note = Se pronuncia así: { $phonetic }
badge-recording-of = Cómo se pronuncia { $name }
badge-play = Reproducir el nombre de { $name }
badge-play-legal = Reproducir el nombre legal de { $name }
badge-none = Todavía no hay una grabación de este nombre.
badge-notes = Notas
badge-legal = Nombre legal
badge-save-contact = Guardar contacto
badge-save-recording = Guardar grabación
badge-copy = Copiar enlace
badge-copied = Copiado
badge-inside-title = No puedes abrir esta tarjeta con el nombre
badge-inside = Esta tarjeta con el nombre es solo para personas de { $institution }. Si deberías poder verla, cierra sesión e inicia sesión con otro correo.

# El reproductor. Las palabras cortas deben caber en un marco de 48 píxeles.
badge-player-fault = { $label } (no es posible en este momento)
badge-player-none = Todavía no hay una grabación de { $name }.
badge-player-none-legal = Todavía no hay una grabación del nombre legal de { $name }.
badge-player-none-short = Sin audio
badge-player-gone = Este nombre ya no está aquí.
badge-player-gone-short = No está
badge-player-later = Ahora no se puede mostrar el reproductor; inténtalo de nuevo en un momento.
badge-player-later-short = Luego
