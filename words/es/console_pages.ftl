# The console: name pages, moderation and custom fields.

console-pages-search = Buscar por título o dirección
console-pages-state = Estado
console-pages-any = Abiertas y cerradas
console-pages-show = Mostrar
console-pages-new = Página de nombres nueva
console-pages-none = Todavía no hay páginas de nombres. Crea la primera y después invita a las personas.
console-pages-none-found = Ninguna página de nombres coincide.
console-pages-none-given = Todavía no tienes páginas de nombres asignadas. Puede hacerlo alguien con el rol de titular.
console-pages-more = Páginas de nombres anteriores
console-pages-start = Volver a las más recientes

console-page-title = Título
console-page-title-hint = Por ejemplo, «Promoción de 2027».
console-page-date = Fecha
console-page-date-hint = El día de la ceremonia o de la primera clase. Puede quedar vacía.
console-page-people = Personas
console-page-recorded = Con grabación
console-page-invited = Con invitación
console-page-open = Abierta
console-page-closed = Cerrada
console-page-archived = Archivada
console-page-slug = Dirección
console-page-slug-hint = El final de la dirección de la página: letras minúsculas, cifras y guiones. Si queda vacía, se forma con el título.
console-page-access-code = Código de acceso
console-page-access-code-hint = Para programas que usan versiones antiguas de la API. Si queda vacío, se genera uno.
console-page-create = Crear la página de nombres
console-page-created = La página de nombres está creada. Ahora revisa sus ajustes e invita a las personas.
console-page-saved = Los ajustes están guardados.
console-page-copied = Esta es la copia. Revisa su fecha y su hora de cierre.
console-page-copied-people = Esta es la copia. Las personas se añaden en unos minutos. Revisa su fecha y su hora de cierre.
console-page-was-archived = La página de nombres está archivada.
console-page-was-restored = La página de nombres ya no está archivada.
console-page-deleted = La página de nombres está eliminada.
console-page-print = Imprimir los nombres
console-page-archived-note = Esta página está archivada. Podrás cambiar sus ajustes cuando la restaures.
console-page-basics = Sobre la página
console-page-description = Descripción
console-page-description-hint = Lo que se lee al visitar la página.
console-page-registering = Registro
console-page-register = Quién puede registrarse

console-register-invited = Las personas invitadas
console-register-domain = Quien tenga una dirección de correo en uno de los dominios de abajo
console-register-code = Quien conozca el código del evento
console-register-open = Cualquier persona

console-page-domains = Dominios
console-page-domains-hint = Uno en cada línea, como example.edu, o *.example.edu para sus subdominios.
console-page-closes = Hora de cierre
console-page-closes-hint = Desde entonces nadie puede registrarse ni grabar. En la zona horaria { $zone }. Puede quedar vacía.
console-page-asked = Qué se pide

console-asked-name = Nombre
console-asked-pronouns = Pronombres
console-asked-off = No se pide
console-asked-optional = Opcional
console-asked-required = Obligatorio
console-asked-default = Como indica el campo personalizado

console-page-listening = Escucha
console-page-listen = Quién puede escuchar

console-listen-managers = Solo responsables y oyentes de la página
console-listen-registered = También las personas registradas en ella
console-listen-institution = También las personas de la institución que han iniciado sesión
console-listen-link = Cualquier persona con el enlace

console-page-moderation = Grabaciones nuevas

console-moderation-off = Se oyen enseguida
console-moderation-hold = Esperan hasta que una persona responsable de la página las apruebe

console-page-recordings = Grabaciones
console-page-take = Duración máxima de una grabación, en segundos
console-page-take-hint = Si queda vacía, se aplica el límite de esta instalación.
console-page-days = Eliminar las grabaciones tantos días después de la fecha
console-page-days-hint = Se avisa a las personas 14 días antes. Si queda vacío, las grabaciones se conservan.
console-page-deletes = Las grabaciones se eliminan el { $date }.
console-page-api = Versión 2 de la API
console-page-v2 = Responder a programas que conocen el código de acceso
console-page-v2-hint = Quien conozca el código podrá leer, sin token, los nombres, las direcciones de correo y las grabaciones de todas las personas de esta página. Trata el código como una contraseña.
console-page-acts = Copiar, archivar, eliminar
console-page-archive = Archivar
console-page-restore = Restaurar
console-page-archive-hint = Una página archivada no admite registros ni grabaciones, no envía recordatorios y se puede restaurar en cualquier momento.
console-page-copy = Copiar la página de nombres
console-page-copy-lead = La copia tiene los mismos ajustes y textos, pide los mismos campos y la gestionan las mismas personas. Tiene códigos propios.
console-page-copy-people = Copiar también a las personas
console-page-copy-people-hint = Todas las que tienen dirección de correo, sin grabaciones ni fotos. No se escribe ni se llama a nadie.
console-page-copy-now = Crear la copia
console-page-delete = Eliminar la página de nombres
console-page-delete-lead = Esto elimina la página con todo su contenido. No se puede deshacer. Si solo quieres cerrarla, archívala.
console-page-delete-people = Personas que se eliminan con ella: { $count }
console-page-delete-recordings = Grabaciones que se eliminan con ella: { $count }
console-page-delete-now = Eliminar para siempre

console-moderation-lead = Lo que espera aprobación y lo que se ha denunciado, en todas las páginas de nombres que gestionas.

console-fields-lead = Los campos personalizados son lo que tu institución pide además del nombre. Los programas los leen y escriben en la API como texto sencillo, sea cual sea su tipo.
console-fields-none = Todavía no hay campos personalizados. Crea el primero abajo, por ejemplo para los pronombres o el título académico.
console-fields-new = Campo personalizado nuevo

console-field-label = Etiqueta
console-field-label-hint = Lo que leen las personas, por ejemplo «Pronombres».
console-field-name = Nombre interno
console-field-name-hint = Lo que usan los programas: letras minúsculas, cifras y guiones bajos, como gender_pronouns. No se puede cambiar después.
console-field-import-key = Clave en importaciones y solicitudes
console-field-kind = Tipo

console-kind-text = Texto
console-kind-long-text = Texto largo
console-kind-choice = Una opción
console-kind-choices = Varias opciones
console-kind-yes-no = Sí o no

console-field-options = Lo que se puede elegir
console-field-options-hint = Solo para opciones: una en cada línea, sin punto y coma. Los valores que ya existen se conservan si cambias esto.
console-field-edited-by = Quién puede cambiarlo

console-edited-by-person = La propia persona
console-edited-by-staff = Solo el personal. Donde una página lo pide, las personas responden una vez.

console-field-asked = En todas las páginas de nombres
console-field-on-badge = Mostrar en las tarjetas de nombre
console-field-on-badge-hint = Cualquiera que tenga el enlace a una tarjeta puede leerlo. Los pronombres se muestran siempre.
console-field-order = Orden
console-field-up = Subir { $field }
console-field-down = Bajar { $field }
console-field-create = Crear el campo personalizado
console-field-created = El campo personalizado está creado.
console-field-saved = El campo personalizado está guardado.
console-field-deleted = El campo personalizado está eliminado.
console-field-pages = Páginas de nombres con ajuste propio
console-field-pages-lead = Estas páginas indican por sí mismas si piden este campo. Las demás siguen lo elegido arriba.
console-field-pages-none = Ninguna página de nombres tiene un ajuste propio para este campo.
console-field-page = Página de nombres
console-field-page-hint = El final de su dirección o su código del evento.
console-field-how = Cómo lo pide esta página
console-field-delete = Eliminar el campo personalizado
console-field-delete-lead = Esto elimina el campo con todos sus valores, en las páginas y en la API. No se puede deshacer.
console-field-values = Personas con un valor: { $count }
console-field-values-partial = Personas con un valor, de las { $people } más recientes: { $count }
console-field-delete-now = Eliminar para siempre

console-set-outdated = Alguien ha cambiado esto desde que lo abriste y no se ha guardado nada. Lo que escribiste sigue aquí. Donde difiere de lo guardado ahora, se indica debajo del campo. Guarda otra vez para usar lo que escribiste.
console-set-now = Guardado ahora: { $value }
console-set-now-nothing = Ahora no hay nada guardado aquí.
console-set-rejected = Todavía no se ha guardado nada. Revisa los campos marcados.
console-set-type-title = Escribe el título para confirmar: { $title }
console-set-type-name = Escribe el nombre interno para confirmar: { $name }
console-set-fault-typed = No coincide. No se ha eliminado nada.
console-set-fault-taken = Ya está en uso. Elige otro.
console-set-fault-slug = Usa solo letras minúsculas, cifras y guiones, sin guion al principio ni al final.
console-set-fault-code = Usa como máximo 100 caracteres visibles, sin espacios.
console-set-fault-code-short = Usa al menos 8 caracteres.
console-set-fault-field-name = Empieza con una letra y usa solo letras minúsculas, cifras y guiones bajos.
console-set-fault-reserved = Ya existe un campo llamado { $name }. Elige otro nombre.
console-set-fault-date = No es una fecha. Debe tener la forma 2027-05-31.
console-set-fault-date-needed = Indica una fecha: las grabaciones deben eliminarse unos días después.
console-set-fault-closing = No es una fecha con hora. Debe tener la forma 2027-05-31 18:00.
console-set-fault-domain = { $domain } no es un dominio. Debe tener la forma example.edu.
console-set-fault-domains-needed = Indica al menos un dominio o elige otra opción de registro.
console-set-fault-many = Son demasiados. Usa como máximo { $most }.
console-set-fault-range = Escribe un número de { $least } a { $most }.
console-set-fault-options = Escribe lo que se puede elegir, una opción en cada línea.
console-set-fault-option = { $option } contiene un punto y coma, que separa las opciones. Quítalo.
console-set-fault-page = Esa página de nombres no existe. Revisa su dirección.
