# Páginas dentro de plataformas de aprendizaje.

lti-course-title = { $course }: los nombres y cómo se pronuncian
lti-own-title = { $name }: cómo se pronuncia
lti-time = { $day } de { $month ->
        [1] enero
        [2] febrero
        [3] marzo
        [4] abril
        [5] mayo
        [6] junio
        [7] julio
        [8] agosto
        [9] septiembre
        [10] octubre
        [11] noviembre
       *[12] diciembre
    } de { $year }, { $time } ({ $zone })

# El curso, para quienes enseñan. why es un mensaje de la plataforma o del servidor, en inglés.
lti-sync-fetching = Se está obteniendo la lista de tu plataforma de aprendizaje.
lti-sync-running = Se está sincronizando. Fecha de la lista: { $time }.
lti-sync-done = Sincronizado con tu plataforma de aprendizaje el { $time }.
lti-sync-none = Aún no se ha sincronizado con tu plataforma de aprendizaje.
lti-sync-fetch-failed = No se pudo obtener la lista: { $why }.
lti-sync-failed = Fecha de la lista: { $time }. La última sincronización no funcionó: { $why }.
lti-sync-ended = La sincronización terminó.
lti-sync-show = Mostrar la lista nueva
lti-sync-again = Volver a mirar
lti-sync-now = Sincronizar ahora
lti-note = No todo ha llegado de tu plataforma de aprendizaje. Quien la administra, o quien administra este sitio, puede ver por qué.
lti-own-why = Tus estudiantes pueden oír cómo se pronuncia tu nombre.
lti-own-add = Añadir tu nombre
lti-own-change = Cambiar tu ficha
lti-own-link = Tu nombre
lti-find = Buscar un nombre
lti-find-send = Buscar
lti-shown = Qué personas se muestran
lti-everybody = Todas las personas
lti-unrecorded = Sin grabar todavía
lti-first = Tarda un momento. Los nombres aparecerán aquí solos.
lti-found =
    { $count ->
        [one] { $count } persona encontrada.
       *[other] { $count } personas encontradas.
    }
lti-found-nobody = Aquí nadie se llama { $search }.
lti-show-everybody = Mostrar a todas las personas
lti-all-recorded = Todas las personas han grabado su nombre.
lti-nobody = Todavía no hay nadie en este curso.
lti-pages = Páginas
lti-page = Página { $page } de { $pages }
lti-back = Anterior
lti-next = Siguiente
lti-staff = Enseñan en este curso

# La ficha propia.
lti-play-own = Reproducir tu grabación
lti-only-here = Solo para este curso
lti-only-here-hint = Si no lo marcas, tu grabación se usa en todos tus cursos.
lti-is-only-here = La grabaste solo para este curso.
lti-called = Pronto recibirás una llamada. Di tu nombre cuando te lo pidan.
lti-called-at = Recibirás una llamada en el { $number }. Di tu nombre cuando te lo pidan.
lti-saved = Guardado.
lti-delete-explained = Tu grabación se quitará de este curso y su enlace dejará de funcionar. Esto no se puede deshacer. Puedes volver a grabar tu nombre cuando quieras.
lti-withdraw-explained = Se elimina tu grabación y se cancela la llamada que estés esperando. Para volver a grabar tu nombre, solo tienes que aceptar de nuevo.
lti-own-page = Tu propia página: quién puede oír tu grabación, tu foto y todo lo demás
lti-own-page-hint = Se abre en otra pestaña. Es posible que tengas que iniciar sesión allí.
lti-another-number = Otro número de teléfono
lti-signed-out = Tu sesión terminó: abre de nuevo esta página desde tu curso, en otra pestaña, y graba tu nombre allí. Mientras tanto, tu grabación sigue aquí.

# Añadir un enlace a un curso.
lti-link-title = Añadir un enlace a tu curso
lti-link-lead = Quienes enseñan encontrarán allí los nombres de todas las personas, con sus grabaciones. Cada estudiante encontrará su propio nombre, para grabarlo.
lti-link-label = Título del enlace
lti-link-default = Los nombres y cómo se pronuncian
lti-link-add = Añadir
lti-link-cancel = Cancelar
lti-return-title = Volver a tu curso
lti-return-link = El enlace se entrega a tu plataforma de aprendizaje.
lti-return-none = No se añade nada a tu curso.
lti-return-press = Si no ocurre nada, pulsa el botón.

# Registro de una plataforma de aprendizaje, para quien la administra.
lti-register-link-title = Da este enlace a tu plataforma de aprendizaje
lti-register-link = Este enlace es para tu plataforma de aprendizaje: pégalo como URL de registro donde se registra una nueva herramienta LTI.
lti-register-link-where = En Moodle: Administración del sitio, Extensiones, Herramienta externa, Gestionar herramientas. En otras, busca el registro dinámico.
lti-registered-title = Registro completado
lti-registered = { $name } está registrado, con el ID { $id }.
lti-registered-activate = Puede que haya que activar la herramienta en tu plataforma de aprendizaje antes de usarla.
lti-registered-unconfirmed = Nadie puede entrar hasta que quien administra este sitio la haya confirmado con { $command }.
lti-updated-title = Actualización completada
lti-updated = { $name } está al día, con el ID { $id }.
lti-updated-kept = Todo lo que estaba configurado aquí queda como estaba.
lti-no-deployment = Tu plataforma de aprendizaje no envió su ID de despliegue. Quien administra este sitio lo añade con { $command } y el ID que muestra tu plataforma.

# Qué se puede hacer.
lti-reopen = Ábrelo de nuevo desde tu curso, por favor.
lti-contact = Si eso no ayuda, avisa a quien administra tu plataforma de aprendizaje.
lti-tell = Avisa a quien administra tu plataforma de aprendizaje, por favor.
lti-go-back = Puedes volver a tu curso.

# Rechazos.
lti-too-large = Lo que se envió es demasiado grande.
lti-too-slow = Lo que se envió tardó demasiado en llegar.
lti-incomplete-title = No hay nada que abrir
lti-incomplete = Esta dirección es para plataformas de aprendizaje, que envían más de lo que ha llegado aquí.
lti-unknown-platform-title = Esta plataforma de aprendizaje no se conoce aquí
lti-unknown-platform = No se ha registrado, o su emisor (issuer) y su ID de cliente no son los que se registraron. O usa otra dirección de este sitio que la que se le indicó.
lti-disabled-title = Esta conexión está desactivada
lti-disabled = La conexión entre tu plataforma de aprendizaje y este sitio se ha desactivado.
lti-unconfirmed-title = Esta conexión todavía no está confirmada
lti-unconfirmed = Todavía no es seguro que la plataforma de aprendizaje sea la que dice ser. Hasta que se confirme, nadie puede entrar.
lti-foreign-title = Este enlace lleva a otro lugar
lti-foreign = El enlace de tu curso lleva a una dirección que no pertenece a este sitio.
lti-used-title = Esto ya se ha abierto
lti-used = Cada apertura desde tu curso sirve una sola vez, durante unos minutos.
lti-browser-title = Tu navegador impide que esta página funcione aquí
lti-browser = No permite que este sitio guarde una cookie dentro de la página de tu plataforma de aprendizaje, así que no podemos saber si de verdad fuiste tú quien la abrió.
lti-browser-window = En otra ventana funciona.
lti-platform-title = Tu plataforma de aprendizaje no te dejó entrar
lti-platform = Su mensaje: { $said }
lti-no-keys-title = No se puede contactar con tu plataforma de aprendizaje en este momento
lti-no-keys = No se pueden obtener sus claves públicas, que sirven para comprobar sus mensajes.
lti-deployment-title = Este despliegue no se conoce aquí
lti-deployment = Tu plataforma de aprendizaje lo llama { $deployment }.
lti-deployment-add = Quien administra este sitio puede añadirlo con { $command }.
lti-no-links-title = Aquí no se puede añadir un enlace
lti-no-links = Tu plataforma de aprendizaje pide algo que no es un enlace.
lti-untrusted-title = No se puede abrir esta página
lti-untrusted = Lo que envió tu plataforma de aprendizaje no es como debería ser, así que no podemos confiar en ello.
lti-no-course-title = Esto no es un curso
lti-no-course = Estas páginas pertenecen a cursos, y el enlace se abrió fuera de uno.
lti-no-part-title = Aquí no hay nada que tengas que hacer
lti-no-part = Estas páginas son para quienes enseñan o estudian en un curso.
lti-preview-title = Estás viendo esto como estudiante
lti-preview = Cada estudiante de este curso encuentra aquí su propio nombre, para oírlo, escribir cómo se pronuncia y grabarlo.
lti-preview-unlisted = No se te añade a la lista de estudiantes.
lti-anonymous-title = Tu plataforma de aprendizaje no dice quién eres
lti-anonymous = Sin ese dato no se puede mostrar tu nombre.
lti-closed-title = Esta página está cerrada
lti-closed = Estuvo abierta varias horas, o se abrió en otro navegador.
lti-invite-title = Esta invitación no se puede usar
lti-invite = Las plataformas de aprendizaje se registran con un enlace que sirve una sola vez, durante siete días. Quien administra este sitio lo crea con { $command }.
lti-registration-title = El registro no funcionó
lti-registration = Motivo: { $why }.
lti-registration-again = El enlace se puede usar otra vez.
lti-too-many-title = Demasiadas páginas a la vez
lti-too-many = Desde tu red se abrieron más páginas de las que se pueden abrir a la vez. Inténtalo de nuevo en un minuto.
