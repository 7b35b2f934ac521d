# The photo, name badges, custom fields and legal name on a person's own page.

profile-badge = Tarjeta con tu nombre

profile-photo-title = Tu foto
profile-photo-alt = Foto tuya
profile-photo-choose = Elige una foto tuya
profile-photo-replace = Elige otra foto
profile-photo-hint = Un archivo JPEG, PNG, WebP o GIF. Se muestra como un cuadrado en todas tus páginas.
profile-photo-partial = Algunas de tus páginas todavía no la muestran. Vuelve a elegirla para mostrarla en todas.
profile-photo-delete = Quitar mi foto
profile-photo-send = Usar esta foto
profile-photo-no-file = Elige primero una foto.
profile-photo-other = No podemos usar este archivo. Elige una imagen JPEG, PNG, WebP o GIF.
profile-photo-heic = Es una imagen HEIC, y no podemos usarla. Guárdala antes como JPEG o haz una captura de pantalla.
profile-photo-damaged = Esta imagen está dañada o incompleta. Guárdala de nuevo o elige otra.
profile-photo-large = Esta imagen es demasiado grande. Elige una más pequeña.

profile-crop-preview = Tu foto, tal como la verán las demás personas
profile-crop-hint = Arrastra la imagen o usa los controles deslizantes hasta que te guste lo que se ve en el cuadrado.
profile-crop-ready = Elige la parte que verán las demás personas y pulsa «Usar esta foto».
profile-crop-zoom = Zoom
profile-crop-x = Izquierda o derecha
profile-crop-y = Arriba o abajo

profile-done-photo = Tu foto se guardó.
profile-done-photo-deleted = Tu foto se quitó.

profile-fixed = Solo tu institución puede cambiar estos datos. Si hay algún error, ponte en contacto con ella.
profile-field-none = Sin respuesta
profile-field-yes = Sí
profile-field-no = No
profile-field-not-included = Elige una de las respuestas.

profile-guide-examples = Por ejemplo:
profile-guide-example-1 = Siobhán: shi-VON
profile-guide-example-2 = Giulia: YU-lia
profile-guide-example-3 = Michael: MAI-kel

profile-legal-title = Tu nombre legal
profile-legal-lead = Tu institución lo usa donde es necesario, por ejemplo en un diploma. Puedes grabar cómo se pronuncia.
profile-legal-all = Una sola grabación se usa en todas estas páginas.
profile-legal-open = Escucha tu nombre legal o grábalo
profile-legal-none = Tu institución no ha introducido un nombre legal para ti.
profile-legal-play = Tu nombre legal en { $page }
profile-legal-unrecorded = Todavía no está grabado.
profile-legal-delete = Eliminar la grabación de mi nombre legal
profile-legal-delete-explained = La grabación de tu nombre legal se quitará de todas tus páginas y sus enlaces dejarán de funcionar. Esto no se puede deshacer. La grabación del nombre que usas se conserva. Puedes volver a grabar tu nombre legal cuando quieras.
profile-legal-delete-now = Eliminar esta grabación
profile-legal-ready = Pulsa el botón y di tu nombre legal como debe pronunciarse. Podrás escucharlo antes que nadie.
profile-legal-consent = Para grabarlo, acepta primero el texto sobre las grabaciones.
