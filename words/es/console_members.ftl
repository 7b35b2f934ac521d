# The console: members and audit.

console-members-lead = Los miembros gestionan las páginas de nombres de la institución o las escuchan. Inician sesión como todo el mundo.
console-members-add = Añadir un miembro
console-members-owners-only = Solo las personas titulares pueden añadir, cambiar y quitar miembros.
console-members-none = Nadie tiene un rol todavía. Añádete primero, con el rol de titular.
console-members-email = Correo electrónico
console-members-email-hint = La persona inicia sesión con esta dirección.
console-members-email-fault = Esta dirección de correo no se puede usar. Revísala.
console-members-known = Esta persona ya es miembro. Puedes cambiar su rol en la lista.
console-members-role = Rol
console-members-since = Desde
console-members-act = Acciones
console-members-change = Cambiar
console-members-change-title = Cambiar un miembro
console-members-you = Tú
console-members-only-owner = la única persona con este rol
console-members-first = Al principio
console-members-back = Volver a los miembros
console-members-owner = Titular
console-members-owner-hint = Puede hacerlo todo, en todas las páginas.
console-members-admin = Admin
console-members-admin-hint = Puede hacerlo todo, salvo cambiar miembros, configurar el inicio de sesión único y los directorios, decidir cuánto tiempo se conserva el registro de auditoría y eliminar la institución.
console-members-manager = Responsable
console-members-manager-hint = Gestiona las páginas elegidas: personas, invitaciones, moderación y exportaciones.
console-members-reader = Oyente
console-members-reader-hint = Escucha los nombres de las páginas elegidas, y nada más.
console-members-all-pages = Todas
console-members-no-pages = Ninguna
console-members-more-pages = { $count ->
    [one] y 1 más
   *[other] y { $count } más
}
console-members-pages-now = { $count ->
    [one] 1 página de nombres
   *[other] { $count } páginas de nombres
}
console-members-pages-hint = Para responsables y oyentes. Titulares y admins tienen todas las páginas.
console-members-pages-many = Son demasiadas páginas (el límite es { $most }). Dale a la persona el rol de admin.
console-members-page-unknown = Una de estas páginas ya no existe o su código está mal escrito.
console-members-more = Otras páginas
console-members-more-hint = Aquí solo aparecen las páginas más recientes. Indica las anteriores con su código o nombre corto, separados por comas.
console-members-last-owner = Tu institución necesita a alguien con el rol de titular. Dáselo antes a otra persona.
console-members-added = El miembro está añadido y puede iniciar sesión aquí: { $address }
console-members-changed = Guardado. Se aplica de inmediato.
console-members-removed = El rol ha terminado.
console-members-remove = Quitar este miembro
console-members-remove-lead = El rol termina de inmediato. Lo que esta persona ha grabado para sí misma se conserva.
console-members-tokens = Tokens de acceso que creó esta persona
console-members-tokens-lead = Esta persona los conoce y siguen funcionando. ¿Qué debe pasar con ellos?
console-members-tokens-keep = Conservarlos
console-members-tokens-keep-hint = Los programas siguen funcionando. Después, reemplaza cada uno de estos tokens para que no los conozca nadie que se haya ido.
console-members-tokens-revoke = Revocarlos
console-members-tokens-revoke-hint = Los programas que los usan dejan de funcionar en un segundo.
console-members-tokens-fault = Elige qué debe pasar con los tokens de acceso.
console-members-groups = Roles por grupo
console-members-groups-lead = Quien está en un grupo de tu inicio de sesión único recibe su rol la próxima vez que inicie sesión, y lo pierde al dejar el grupo. De varios grupos cuenta el rol más alto. Los roles dados a mano se conservan.
console-members-groups-none = Configura primero el inicio de sesión único.
console-members-groups-empty = Ningún grupo tiene un rol todavía.
console-members-group = Grupo
console-members-group-hint = Exactamente como lo escribe tu proveedor. Microsoft Entra escribe el ID de objeto del grupo.
console-members-group-add = Guardar el rol del grupo
console-members-group-remove = Quitar
console-members-group-pages-hint = Para responsables y oyentes: códigos o nombres cortos de páginas, separados por comas.
console-members-claim = Nombre del claim con los grupos
console-members-claim-hint = La mayoría de los proveedores usa: groups
console-members-by-group = por grupo

console-audit-lead = Aquí queda anotado cada cambio: quién lo hizo, cuándo y qué había antes.
console-audit-search = Buscar en todo
console-audit-act = Qué
console-audit-any = Todo
console-audit-who = Quién
console-audit-person = Datos de quién
console-audit-from = Desde el día
console-audit-to = Hasta el día
console-audit-day-fault = Escribe el día así: 2026-07-01.
console-audit-clear = Mostrar todo
console-audit-about-one = Solo cambios de esto:
console-audit-none = No se ha encontrado nada. Prueba con menos palabras o con otros días.
console-audit-go-on = De momento, nada. Mira las entradas más antiguas para seguir buscando.
console-audit-when = Cuándo
console-audit-subject = De qué
console-audit-fields = Cambiado
console-audit-origin = Desde dónde
console-audit-newest = Más recientes
console-audit-older = Más antiguas
console-audit-export = Exportar
console-audit-export-lead = Todas las entradas que encuentra la búsqueda, con sus valores anteriores y nuevos. El archivo contiene datos personales.
console-audit-csv = Como tabla (CSV)
console-audit-json = Para programas (líneas JSON)
console-audit-retention = Cuánto tiempo se conserva
console-audit-kept = { $days ->
    [one] Las entradas se eliminan después de 1 día.
   *[other] Las entradas se eliminan después de { $days } días.
}
console-audit-kept-forever = Las entradas no se eliminan nunca.
console-audit-keep = Conservar las entradas
console-audit-keep-days = Durante un tiempo
console-audit-days = Días
console-audit-days-fault = Escribe un número de días, de 1 a 36500.
console-audit-keep-forever = Para siempre
console-audit-owners-only = Solo las personas titulares pueden cambiar esto.
console-audit-entry = Un cambio
console-audit-back = Volver al registro de auditoría
console-audit-no-values = No se cambió ningún valor.
console-audit-field = Campo
console-audit-before = Antes
console-audit-after = Después
console-audit-by-token = token de acceso
console-audit-by-operator = operación del servidor
console-audit-by-member = miembro
console-audit-by-person = la propia persona
console-audit-by-lti = la propia persona, en una plataforma de aprendizaje
console-audit-by-phone = la propia persona, por teléfono
console-audit-by-scim = directorio
console-audit-by-system = automáticamente
