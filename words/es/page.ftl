# Una página de nombres: el registro, la propia ficha, el cartel.

page-date = Fecha: { $date }
page-lead = Aquí las personas graban cómo se pronuncia su nombre, para que todo el mundo lo diga bien. Lleva alrededor de un minuto.
page-closes = Graba tu nombre antes de { $time } ({ $zone }).
page-closed = Esta página se cerró el { $time } ({ $zone }). Ya nadie puede registrarse ni grabar aquí.
page-archived = Esta página está archivada. Aquí ya no se puede cambiar nada.

page-window = Abrir esta página en su propia ventana
page-own-link = Ir a mi ficha
page-register-link = Registrarme aquí
page-people-link = Escuchar los nombres
page-known = Ya tengo un registro
page-not-permitted = Has iniciado sesión como { $email }, y esta página es para otras personas. Si tienes otra dirección, cierra la sesión y usa esa. Si no, pregunta a quien te ha enviado aquí.
page-who = Has iniciado sesión como { $email }.

page-ask-title = Empezar
page-ask-lead = Escribe tu dirección de correo electrónico. Te enviaremos un mensaje con un código, para que nadie más se registre en tu nombre. No necesitas contraseña.
page-ask-later = En este momento se están registrando demasiadas personas. Inténtalo de nuevo dentro de una hora, más o menos.
page-ask-invited = Esta página es para personas invitadas. Si recibiste una invitación, abre su enlace o escribe aquí tu dirección de correo electrónico. Te enviaremos un mensaje con un código.
page-ask-closed = Si ya tienes un registro, escribe tu dirección de correo electrónico para ver tu ficha. Te enviaremos un mensaje con un código.
page-domains = Usa una dirección de { $domains }.
page-event-code = Código del evento
page-event-code-hint = Está en el cartel o en el mensaje que te trajo aquí.
page-event-code-missing = Escribe el código del evento.
page-event-code-wrong = Este no es el código del evento de esta página. Compruébalo.
page-code-lead = Si esta dirección puede registrarse en { $page }, o ya está registrada allí, va en camino un mensaje con un código. Escribe el código aquí o abre el enlace del mensaje. Ambos sirven una sola vez, durante diez minutos.
page-code-none = ¿No llega el mensaje? Mira en la carpeta de correo no deseado y comprueba la dirección.
page-code-again = Escribir la dirección otra vez

page-asked-title = Qué te pedimos
page-asked-recording = Una grabación de tu nombre: puedes escucharla antes y repetirla cuantas veces quieras
page-asked-name = Tu nombre
page-asked-photo = Una foto
page-optional = opcional

page-form-title = Tu nombre
page-form-lead = Esto se muestra junto a tu grabación en { $page }.
page-form-send = Continuar con la grabación
page-first-name = Nombre
page-last-name = Apellido
page-names-hint = Si tienes un solo nombre, deja vacío el otro campo.
page-name-blank = Escribe tu nombre.

page-done-registered = El registro está hecho. Ahora graba tu nombre.
page-finished = Listo. Tu nombre está grabado.
page-finished-lead = ¡Gracias! Puedes cerrar esta página o grabar otra vez.
page-held = La grabación espera aprobación. Hasta entonces, solo pueden escucharla tú y quienes gestionan esta página.
page-only = Usar la nueva grabación solo en esta página
page-only-hint = Si no, se usa en todas tus páginas.
page-missing = Todavía falta:
page-me-link = Todas mis páginas y quién puede escucharme

page-nav = Gestionar esta página
page-nav-page = Página
page-nav-people = Personas
page-nav-invitations = Invitaciones
page-nav-moderation = Moderación
page-nav-messages = Mensajes
page-nav-import = Importar
page-nav-export = Exportar
page-nav-poster = Cartel

page-poster-how = Elige el papel e imprime esta página con tu navegador. Solo se imprime el cartel.
page-poster-a4 = A4
page-poster-letter = Carta
page-poster-download = Descargar el código QR
page-poster-call = Graba cómo se pronuncia tu nombre
page-poster-scan = Escanea el código con tu teléfono o visita:
page-poster-qr = Código QR que lleva a esta página de nombres
