# La grabadora. El script pone en lugar de %s una duración, como «2 segundos», o el nombre de un archivo en recorder-chosen.

recorder-record = Grabar mi nombre
recorder-stop = Detener
recorder-play = Reproducir
recorder-again = Grabar de nuevo
recorder-keep = Usar esta grabación
recorder-retry = Intentar de nuevo
recorder-file = Subir un archivo
recorder-phone = Continuar en tu teléfono
recorder-call = Recibir una llamada
recorder-own-window = Abrir en otra ventana
recorder-countdown = Contar 3, 2, 1 antes de empezar
recorder-others = Otras formas
recorder-time-left = Tiempo restante
recorder-progress = Envío

recorder-ready = Pulsa el botón y di tu nombre como te gusta oírlo. Podrás escucharlo antes que nadie.
recorder-asking = Permite el uso del micrófono. Tu navegador te lo está preguntando ahora.
recorder-get-ready = Prepárate…
recorder-recording = Grabando. Pulsa Detener cuando termines.
recorder-not-heard = Todavía no oímos nada. Habla un poco más alto o comprueba que tu micrófono esté encendido.
recorder-working = Un momento…
recorder-take = Tu grabación dura %s. Escúchala, úsala o graba de nuevo.
recorder-chosen = Tu archivo: %s. Escúchalo o úsalo.

# Consejos antes de enviar una grabación.
recorder-silent = No oímos ninguna voz. Comprueba que esté encendido el micrófono correcto y graba de nuevo.
recorder-short = Es muy corta. Graba de nuevo y di tu nombre completo.
recorder-cut = Parece que falta el principio. Graba de nuevo y espera a que aparezca la palabra «Grabando» antes de hablar.
recorder-clipped = El volumen es demasiado alto y el sonido se distorsiona. Graba de nuevo, un poco más lejos del micrófono.
recorder-quiet = Se oye muy bajo. Graba de nuevo, más cerca del micrófono; subiremos el volumen por ti.
recorder-noisy = Hay mucho ruido a tu alrededor. Graba de nuevo en un lugar más tranquilo; reduciremos el ruido por ti.
recorder-unplayable = Este navegador no puede reproducir la grabación antes de guardarla. Puedes usarla y escucharla después.
recorder-empty = Tu navegador no grabó nada. Graba de nuevo o elige otra forma más abajo.
recorder-interrupted = La grabación se interrumpió, por ejemplo por una llamada. No se guardó nada. Graba de nuevo, por favor.

# Envío.
recorder-sending = Guardando tu grabación…
recorder-kept = Grabación guardada. Así oirán tu nombre las demás personas.
recorder-offline = Se perdió la conexión. Tu grabación sigue aquí: inténtalo de nuevo cuando vuelvas a tener conexión.
recorder-busy = Mucha gente está grabando ahora mismo. Tu grabación sigue aquí: inténtalo de nuevo en un momento.
recorder-signed-out = Tu sesión terminó: inicia sesión en otra pestaña y vuelve a intentarlo. Tu grabación sigue aquí.
recorder-refused = No podemos usar esta grabación. Graba de nuevo o elige otro archivo.
recorder-trouble = Algo falló por nuestra parte. Tu grabación sigue aquí: inténtalo de nuevo, por favor.

# Cuando no hay micrófono.
recorder-denied = Esta página no tiene permiso para usar tu micrófono. Permítelo en la barra de direcciones o en la configuración del navegador y pulsa el botón de nuevo, o elige otra forma más abajo.
recorder-none-found = No encontramos ningún micrófono. Conecta uno y pulsa el botón de nuevo, o elige otra forma más abajo.
recorder-in-use = Otra aplicación está usando tu micrófono. Ciérrala (por ejemplo, una videollamada) y pulsa el botón de nuevo.
recorder-not-secure = Tu navegador solo permite grabar en páginas seguras (https), y esta no lo es. Elige otra forma más abajo.
recorder-framed = El sitio que contiene esta página no le permite usar tu micrófono. Ábrela en otra ventana o elige otra forma más abajo.
recorder-unsupported = Este navegador no puede grabar. Elige otra forma más abajo.
recorder-found = Ahora hay un micrófono conectado. Pulsa el botón para grabar.

# Un archivo.
recorder-file-label = Una grabación de tu nombre
recorder-file-hint = Unos segundos, en cualquier formato de audio habitual.
recorder-file-send = Subir

# En el teléfono.
recorder-phone-how = Escanea este código con la cámara de tu teléfono. Sirve una sola vez, durante diez minutos.
recorder-phone-code = Código para escanear con tu teléfono
recorder-phone-address = O abre esta dirección en tu teléfono:
recorder-phone-waiting = Esperando a tu teléfono. Esta página te avisará cuando llegue tu grabación.
recorder-phone-failed = Ahora no pudimos crear un código. Inténtalo de nuevo en un momento.
recorder-phone-expired = El código caducó. Pide uno nuevo.
recorder-arrived = Tu grabación llegó desde tu teléfono. Así oirán tu nombre las demás personas.

# Rechazos del servidor.
recorder-fault-no-file = Elige primero un archivo.
recorder-fault-too-large = Este archivo es demasiado grande para la grabación de un nombre. Elige uno más pequeño.
recorder-fault-not-sound = No podemos leer esta grabación. Elige un archivo WAV, MP3, M4A, AAC, Ogg, WebM o FLAC.
recorder-fault-damaged = Esta grabación está dañada o incompleta. Graba de nuevo o vuelve a elegir el archivo.
recorder-fault-closed = Esta página de nombres está cerrada y ya no admite grabaciones.
recorder-fault-unusual = No podemos leer este tipo de grabación. Graba de nuevo aquí o elige otro archivo.
recorder-fault-too-long =
    { $seconds ->
        [one] Esta grabación dura más de { $seconds } segundo. Di solo tu nombre.
       *[other] Esta grabación dura más de { $seconds } segundos. Di solo tu nombre.
    }
recorder-fault-too-short = Esta grabación es demasiado corta. Di tu nombre completo.
recorder-fault-silent = No oímos nada en esta grabación. Revisa tu micrófono y graba de nuevo.
