# Cartas sobre páginas de nombres, la página donde una institución las cambia y la página donde se dejan de recibir. En una carta se omite
# la línea cuyo dato falta, y el enlace está en una línea propia.

page-mail-invitation-subject = Graba cómo se pronuncia tu nombre: { $page }
page-mail-invitation-text =
    Hola, { $name }:

    Graba, por favor, cómo se pronuncia tu nombre para { $page }. Tarda alrededor de un minuto, se hace en el navegador y puedes cambiarlo cuando quieras.

    { $link }

    Se puede grabar hasta: { $closes }.

    Este enlace es solo para ti. Por favor, no lo compartas.
page-mail-reminder-subject = Recordatorio para grabar tu nombre: { $page }
page-mail-reminder-text =
    Hola, { $name }:

    Todavía falta tu grabación para { $page }. Tarda alrededor de un minuto y se hace en el navegador.

    { $link }

    Se puede grabar hasta: { $closes }.

    Este enlace es solo para ti. Por favor, no lo compartas.
page-mail-rejection-subject = Por favor, graba tu nombre otra vez: { $page }
page-mail-rejection-text =
    Hola, { $name }:

    No se ha aceptado tu grabación para { $page }. Este es el motivo:

    { $reason }

    Puedes grabar tu nombre otra vez:

    { $link }

    Se puede grabar hasta: { $closes }.
page-mail-entry-rejection-subject = Por favor, revisa tu entrada: { $page }
page-mail-entry-rejection-text =
    Hola, { $name }:

    No se ha aceptado tu entrada para { $page }, así que los demás no la ven. Este es el motivo:

    { $reason }

    Puedes cambiarla aquí:

    { $link }

    Se puede grabar hasta: { $closes }.
page-mail-request-subject = Alguien quiere oír tu nombre: { $page }
page-mail-request-text =
    Hola, { $name }:

    Alguien en { $page } quiere pronunciar bien tu nombre, y todavía no hay ninguna grabación. Tarda alrededor de un minuto y se hace en el navegador.

    { $link }

    Se puede grabar hasta: { $closes }.

    Puedes desactivar este tipo de mensajes en tu propia página, en «Peticiones de una grabación».
page-mail-retention-subject = Se borrarán las grabaciones: { $page }
page-mail-retention-text =
    Hola, { $name }:

    Las grabaciones de { $page } se borrarán el { $date }, y la tuya es una de ellas. No tienes que hacer nada.

    Si quieres conservar tu grabación, hasta entonces puedes escucharla y descargarla:

    { $link }
page-mail-button-record = Grabar tu nombre
page-mail-button-page = Abrir la página
page-mail-why = { $institution } envía este mensaje con Endonym para que los nombres se pronuncien bien.
page-mail-stop = Si no quieres recibir más mensajes de este tipo, abre este enlace. Los mensajes que pidas para iniciar sesión seguirán llegando.
page-mail-stop-link = No recibir más mensajes de este tipo
page-mail-stop-title = Mensajes sobre páginas de nombres
page-mail-stop-lead = { $institution } puede enviar mensajes sobre páginas de nombres a { $email }: invitaciones, recordatorios y lo que ocurre con las grabaciones.
page-mail-stop-what = Si los cancelas, seguirás recibiendo los mensajes que pidas para iniciar sesión. Puedes cambiarlo aquí cuando quieras.
page-mail-stop-button = Cancelar los mensajes
page-mail-stopped = { $institution } ya no envía mensajes a { $email }. Seguirás recibiendo los mensajes que pidas para iniciar sesión.
page-mail-start-lead = ¿Ha sido un error? Entonces puedes volver a recibir mensajes.
page-mail-start-button = Volver a recibir mensajes
page-mail-stop-unknown-title = Este enlace no funciona
page-mail-stop-unknown = Comprueba que has copiado todo el enlace del mensaje.
page-mail-page-title = Mensajes
page-mail-page-lead = Estos textos valen para todas las páginas de nombres de { $institution }. Cada mensaje está en el idioma de quien lo recibe.
page-mail-page-kind = Mensaje
page-mail-page-language = Idioma
page-mail-page-show = Mostrar
page-mail-kind-invitation = Invitación
page-mail-kind-reminder = Recordatorio
page-mail-kind-rejection = Grabación no aceptada
page-mail-kind-entry-rejection = Entrada no aceptada
page-mail-kind-request = Petición de una grabación
page-mail-kind-retention = Se borrarán las grabaciones
page-mail-page-built-in = Este es el texto que viene con Endonym.
page-mail-page-own = Este es vuestro propio texto.
page-mail-page-unsaved = Este texto todavía no está guardado.
page-mail-page-outdated = Alguien ha cambiado el texto mientras escribías y todavía no se ha guardado nada tuyo. Este es el suyo. Guarda otra vez para sustituirlo.
page-mail-page-outdated-reset = Alguien ha vuelto al texto original mientras escribías y todavía no se ha guardado nada tuyo. Este es el texto original. Guarda otra vez para sustituirlo.
page-mail-page-not-reset = Alguien ha cambiado el texto desde que abriste esta página y no se ha restablecido el texto original. Este es el suyo. Para sustituirlo, elige otra vez «Volver al texto original».
page-mail-page-subject = Asunto
page-mail-page-subject-help = Puede contener: { $placeholders }
page-mail-page-text = Texto
page-mail-page-text-help = Puede contener: { $placeholders }. El enlace tiene que estar. Se omite la línea cuyo dato falta. Las líneas en blanco separan párrafos.
page-mail-page-preview = Mostrar vista previa
page-mail-page-reset = Volver al texto original
page-mail-page-preview-title = Vista previa
page-mail-page-test-title = Mensaje de prueba
page-mail-page-test-lead = El texto guardado se envía, con un contenido inventado, a { $email }.
page-mail-page-test = Enviarme un mensaje de prueba
page-mail-page-saved = El texto está guardado.
page-mail-page-was-reset = Se usa otra vez el texto original.
page-mail-page-tested = El mensaje de prueba está en camino.
page-mail-fault-blank = Escribe un texto, por favor.
page-mail-fault-long = El texto es demasiado largo. Puede tener { $most } caracteres.
page-mail-fault-characters = El texto contiene caracteres que no se pueden enviar.
page-mail-fault-unknown = { $placeholder } no es un marcador que se sustituya aquí. Comprueba cómo está escrito y las llaves.
page-mail-fault-missing = El texto tiene que contener { $placeholder }.
page-mail-sample-page = Página de ejemplo
page-mail-sample-reason = La grabación se oye muy bajo.
