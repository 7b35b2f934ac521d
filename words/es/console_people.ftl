# The console: people.

console-people-search = Nombre, correo o ID
console-people-search-send = Mostrar
console-people-reset = Mostrar a todo el mundo
console-people-filters = Filtros
console-people-page = Página de nombres
console-people-any = Cualquiera
console-people-field = Campo propio
console-people-value = Valor del campo
console-people-sort = Orden
console-people-sort-name = Por nombre
console-people-sort-changed = Cambio más reciente primero
console-people-sort-recorded = Grabación más reciente primero (solo con grabación)
console-people-recorded = Con grabación
console-people-unrecorded = Sin grabación
console-people-waiting = A la espera de aprobación
console-people-paused = En pausa
console-people-invited-yes = Con invitación
console-people-invited-no = Sin invitación
console-people-phone-yes = Con número
console-people-phone-no = Sin número
console-people-count =
    { $count ->
        [one] { $count } persona
       *[other] { $count } personas
    }
console-people-cut-walked = Personas revisadas hasta ahora: { $count }. La parte siguiente continúa desde ahí.
console-people-cut-found = Coinciden demasiadas personas; solo se muestran algunas (límite: { $count }). Escribe más letras del nombre para encontrar a otras.
console-people-building = La búsqueda se está actualizando. Puede que falten algunas personas durante unos minutos.
console-people-nobody-found = No coincide nadie. Prueba con menos letras o con otro filtro.
console-people-nobody = Todavía no hay nadie. Crea primero una página de nombres y luego importa un archivo o invita allí a personas.
console-people-to-pages = Páginas de nombres
console-people-name = Nombre
console-people-without-name = Sin nombre
console-people-changed = Último cambio
console-people-selected = Selección
console-people-select = Seleccionar a { $name }
console-people-select-all = Seleccionar a todas las personas de esta parte de la lista
console-people-with-selected = Con las personas seleccionadas
console-people-everybody = Todas las personas que coinciden, no solo las seleccionadas
console-people-first = Primera parte
console-people-next = Parte siguiente
console-people-undo = Deshacer
console-people-cancel = Cancelar
console-people-choose = Elige una opción
console-people-invite = Invitar
console-people-invite-lead = Reciben un mensaje con un enlace personal. Se omite a quien ya ha grabado, no quiere correos o tiene una invitación válida.
console-people-remind = Recordar
console-people-remind-lead = Quien fue invitado por correo y no ha grabado recibe un recordatorio: tres como máximo en total, y al menos un día después del último mensaje.
console-people-move = Mover a otra página de nombres
console-people-move-lead = Las grabaciones y los enlaces no cambian. Las personas de un curso se quedan donde las ha puesto la plataforma de aprendizaje.
console-people-move-choose = Elige una página de nombres.
console-people-tag = Rellenar un campo propio
console-people-tag-choose = Elige un campo propio.
console-people-tag-hint = Déjalo vacío para borrar el campo.
console-people-merge = Combinar dos fichas de una persona
console-people-merge-two = Vuelve y selecciona exactamente dos personas para combinarlas.
console-people-delete-many = Eliminar personas
console-people-delete-lead =
    { $days ->
        [one] Desaparecen de todas las listas y sus enlaces dejan de funcionar. Puedes deshacerlo durante { $days } día.
       *[other] Desaparecen de todas las listas y sus enlaces dejan de funcionar. Puedes deshacerlo durante { $days } días.
    }
console-people-delete-number = Para confirmar, escribe el número de personas: { $count }
console-people-delete-wrong = Este no es el número de personas.
console-people-bulk-count =
    { $count ->
        [one] Esto afecta a { $count } persona.
       *[other] Esto afecta a { $count } personas.
    }
console-people-bulk-cut = Coinciden más personas de las que se pueden tratar a la vez. Repítelo después para las demás.
console-people-bulk-nobody = No hay nadie en la selección. Vuelve y selecciona primero a las personas.
console-people-bulk-no-mail = Aquí no hay un servidor de correo configurado. En una página de nombres puedes repartir enlaces personales en «Invitaciones».
console-people-task-progress = Hecho: { $done } de { $total }
console-people-task-done = Terminado.
console-people-task-failed = No se pudo terminar. Quienes ya tuvieron su turno están hechos; los demás siguen igual.
console-people-outcome-done = Hecho
console-people-outcome-unchanged = Nada que hacer
console-people-outcome-gone = Ya no está
console-people-outcome-taken = Ya hay alguien con el mismo correo o ID
console-people-outcome-without-email = Sin correo
console-people-outcome-recorded = Ya tiene grabación
console-people-outcome-unreachable = No quiere correos o la dirección no funciona
console-people-outcome-not-invited = Sin invitación por correo
console-people-outcome-just-written = Se le escribió hace poco o ya recibió todos los recordatorios
console-people-outcome-in-course = Pertenece a un curso
console-people-outcome-closed = La página de nombres está cerrada o archivada
console-people-edit = Editar la ficha
console-people-badge = Tarjeta con el nombre
console-people-listen = Página para escuchar
console-people-delete = Eliminar la ficha
console-people-delete-title = ¿Eliminar a { $name }?
console-people-audience-institution = Personas de la institución
console-people-recording = Grabación
console-people-recordings = Grabaciones
console-people-legal-recording = Grabación del nombre legal
console-people-removed = No aceptada
console-people-paused-lead = La persona ha puesto sus grabaciones en pausa, así que nadie puede oírlas.
console-people-hold = Reserva de directorio
console-people-hold-lead = No se informa de nada al público sobre esta persona. Solo quienes gestionan esta página, o escuchan o enseñan aquí, oyen el nombre tras iniciar sesión.
console-people-hold-hint = Para personas que han pedido no figurar en directorios (FERPA). Se aplica a todas las páginas de nombres de la persona.
console-people-hold-yes = Sí: no informar de nada al público
console-people-hold-no = No
console-people-hold-elsewhere = Solo un titular o un admin puede terminarla: la persona está también en otras páginas de nombres.
console-people-no-recording = Todavía no hay ninguna grabación.
console-people-record = Grabar o subir
console-people-record-lead = Hazlo solo para alguien que esté de acuerdo. Sustituye la grabación actual.
console-people-record-ready = Pulsa el botón y di el nombre.
console-people-photo = Una imagen de la persona
console-people-photo-send = Subir la imagen
console-people-calls = Llamadas
console-people-no-calls = No hubo llamadas.
console-people-call = Llamar a esta persona
console-people-called-soon = Se llamará pronto a esta persona.
console-people-call-scheduled = Programada
console-people-call-active = En curso
console-people-call-no-answer = Sin respuesta
console-people-call-busy = Comunica
console-people-call-failed = No funcionó
console-people-call-canceled = Cancelada
console-people-no-messages = No hay mensajes.
console-people-to-invitations = Invitaciones de esta página de nombres
console-people-mail-sign-in = Correo para iniciar sesión
console-people-mail-queued = A la espera de envío
console-people-mail-sent = Enviado
console-people-mail-failed = Rechazado por el servidor de correo
console-people-mail-unconfirmed = Quizá enviado
console-people-mail-expired = No se envió a tiempo
console-people-others = Otras fichas de esta persona
console-people-history = Historial
console-people-no-history = El registro de auditoría no contiene nada sobre esta ficha.
console-people-all-changes = Todos los cambios en los datos de esta persona
console-people-merge-with = Combinar con esta ficha
console-people-done-saved = La ficha está guardada.
console-people-done-recorded = El archivo está guardado.
console-people-done-called = La llamada está programada.
console-people-done-merged = Las dos fichas están combinadas.
console-people-done-restored = La ficha está restaurada.
console-people-done-deleted = La ficha está eliminada.
console-people-edit-fixed = El correo y el ID identifican la ficha y no se pueden cambiar aquí.
console-people-edit-course = Una plataforma de aprendizaje proporciona los nombres de esta persona y puede volver a cambiarlos.
console-people-edit-changed = Otra persona ha cambiado esta ficha mientras tanto. Lo que escribiste sigue aquí; los campos distintos indican lo que hay ahora. Guarda de nuevo para sustituirlo.
console-people-edit-theirs = Ahora pone: { $value }
console-people-deleted = Eliminadas hace poco
console-people-deleted-none =
    { $days ->
        [one] No se eliminó a nadie en el último día.
       *[other] No se eliminó a nadie en los últimos { $days } días.
    }
console-people-deleted-by = Eliminada por
console-people-purged-on = Se elimina definitivamente el
console-people-restore = Restaurar
console-people-restore-taken = Ahora hay alguien con el mismo correo o ID. Elimina primero esa ficha.
console-people-merge-lead = La ficha que se conserva toma de la otra lo que le falta. Después, la otra se elimina definitivamente.
console-people-merge-field = Campo
console-people-merge-kept = Ficha que se conserva
console-people-merge-other = Otra ficha
console-people-merge-result = Resultado
console-people-merge-send = Combinar
console-people-merge-swap = Conservar la otra ficha
console-people-merge-email = Las dos fichas tienen correos distintos. Este se abandona: { $email }
console-people-merge-changed = Una de las fichas ha cambiado mientras tanto. Compruébalo otra vez.
console-people-merge-course = Una plataforma de aprendizaje necesita la otra ficha porque pertenece a un curso. Conserva esa.
console-people-refused = Desactivadas por un directorio
console-people-refused-about = Un directorio ha desactivado o eliminado a estas personas. No pueden volver con una invitación ni registrándose hasta que el directorio las active o usted las readmita.
console-people-refused-none = No hay nadie desactivado.
console-people-refused-since = Desde
console-people-readmit = Readmitir
console-people-readmitted = Ya se puede volver a invitar a esta persona. Envíele una nueva invitación.
console-people-merge-admin = Estas entradas tienen correos distintos, así que pueden ser dos personas. Solo un propietario o un administrador puede combinarlas.
console-people-merge-paused = La persona de la otra entrada ha pausado sus grabaciones o ha retirado su consentimiento, y tiene otro correo. Las dos entradas no se pueden combinar.
console-messages-notice = Aviso de datos cambiados
