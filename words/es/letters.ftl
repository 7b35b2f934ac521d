# Cartas sobre páginas de nombres, la página donde una institución las cambia y la página donde se dejan de recibir. En una carta se omite
# la línea cuyo dato falta, y el enlace está en una línea propia.

letters-invitation-subject = Graba cómo se pronuncia tu nombre: { $page }
letters-invitation-text =
    Hola, { $name }:

    Graba, por favor, cómo se pronuncia tu nombre para { $page }. Tarda alrededor de un minuto, se hace en el navegador y puedes cambiarlo cuando quieras.

    { $link }

    Se puede grabar hasta: { $closes }.

    Este enlace es solo para ti. Por favor, no lo compartas.
letters-reminder-subject = Recordatorio para grabar tu nombre: { $page }
letters-reminder-text =
    Hola, { $name }:

    Todavía falta tu grabación para { $page }. Tarda alrededor de un minuto y se hace en el navegador.

    { $link }

    Se puede grabar hasta: { $closes }.

    Este enlace es solo para ti. Por favor, no lo compartas.
letters-rejection-subject = Por favor, graba tu nombre otra vez: { $page }
letters-rejection-text =
    Hola, { $name }:

    No se ha aceptado tu grabación para { $page }. Este es el motivo:

    { $reason }

    Puedes grabar tu nombre otra vez:

    { $link }

    Se puede grabar hasta: { $closes }.
letters-request-subject = Alguien quiere oír tu nombre: { $page }
letters-request-text =
    Hola, { $name }:

    Alguien en { $page } quiere pronunciar bien tu nombre, y todavía no hay ninguna grabación. Tarda alrededor de un minuto y se hace en el navegador.

    { $link }

    Se puede grabar hasta: { $closes }.

    Puedes desactivar este tipo de mensajes en tu propia página, en «Peticiones de una grabación».
letters-retention-subject = Se borrarán las grabaciones: { $page }
letters-retention-text =
    Hola, { $name }:

    Las grabaciones de { $page } se borrarán el { $date }, y la tuya es una de ellas. No tienes que hacer nada.

    Si quieres conservar tu grabación, hasta entonces puedes escucharla y descargarla:

    { $link }
letters-button-record = Grabar tu nombre
letters-button-page = Abrir la página
letters-why = { $institution } envía este mensaje con Endonym para que los nombres se pronuncien bien.
letters-stop = Si no quieres recibir más mensajes de este tipo, abre este enlace. Los mensajes que pidas para iniciar sesión seguirán llegando.
letters-stop-link = No recibir más mensajes de este tipo
letters-stop-title = Mensajes sobre páginas de nombres
letters-stop-lead = { $institution } puede enviar mensajes sobre páginas de nombres a { $email }: invitaciones, recordatorios y lo que ocurre con las grabaciones.
letters-stop-what = Si los cancelas, seguirás recibiendo los mensajes que pidas para iniciar sesión. Puedes cambiarlo aquí cuando quieras.
letters-stop-button = Cancelar los mensajes
letters-stopped = { $institution } ya no envía mensajes a { $email }. Seguirás recibiendo los mensajes que pidas para iniciar sesión.
letters-start-lead = ¿Ha sido un error? Entonces puedes volver a recibir mensajes.
letters-start-button = Volver a recibir mensajes
letters-stop-unknown-title = Este enlace no funciona
letters-stop-unknown = Comprueba que has copiado todo el enlace del mensaje.
letters-page-title = Mensajes
letters-page-lead = Estos textos valen para todas las páginas de nombres de { $institution }. Cada mensaje está en el idioma de quien lo recibe.
letters-page-kind = Mensaje
letters-page-language = Idioma
letters-page-show = Mostrar
letters-kind-invitation = Invitación
letters-kind-reminder = Recordatorio
letters-kind-rejection = Grabación no aceptada
letters-kind-request = Petición de una grabación
letters-kind-retention = Se borrarán las grabaciones
letters-page-built-in = Este es el texto que viene con Endonym.
letters-page-own = Este es vuestro propio texto.
letters-page-unsaved = Este texto todavía no está guardado.
letters-page-outdated = Alguien ha cambiado el texto mientras escribías y todavía no se ha guardado nada tuyo. Este es el suyo. Guarda otra vez para sustituirlo.
letters-page-outdated-reset = Alguien ha vuelto al texto original mientras escribías y todavía no se ha guardado nada tuyo. Este es el texto original. Guarda otra vez para sustituirlo.
letters-page-not-reset = Alguien ha cambiado el texto desde que abriste esta página y no se ha restablecido el texto original. Este es el suyo. Para sustituirlo, elige otra vez «Volver al texto original».
letters-page-subject = Asunto
letters-page-subject-help = Puede contener: { $placeholders }
letters-page-text = Texto
letters-page-text-help = Puede contener: { $placeholders }. El enlace tiene que estar. Se omite la línea cuyo dato falta. Las líneas en blanco separan párrafos.
letters-page-preview = Mostrar vista previa
letters-page-reset = Volver al texto original
letters-page-preview-title = Vista previa
letters-page-test-title = Mensaje de prueba
letters-page-test-lead = El texto guardado se envía, con un contenido inventado, a { $email }.
letters-page-test = Enviarme un mensaje de prueba
letters-page-saved = El texto está guardado.
letters-page-was-reset = Se usa otra vez el texto original.
letters-page-tested = El mensaje de prueba está en camino.
letters-fault-blank = Escribe un texto, por favor.
letters-fault-long = El texto es demasiado largo. Puede tener { $most } caracteres.
letters-fault-characters = El texto contiene caracteres que no se pueden enviar.
letters-fault-unknown = { $placeholder } no es un marcador que se sustituya aquí. Comprueba cómo está escrito y las llaves.
letters-fault-missing = El texto tiene que contener { $placeholder }.
letters-sample-page = Página de ejemplo
letters-sample-reason = La grabación se oye muy bajo.
