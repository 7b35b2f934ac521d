# The console: access tokens.

console-tokens-about = Los programas usan tokens de acceso para leer y cambiar las personas de tu institución mediante la API.
console-tokens-docs = Referencia de la API
console-tokens-none = No hay tokens de acceso que funcionen. Crea uno para cada programa, para poder revocarlo por separado.
console-tokens-new = Nuevo token de acceso
console-tokens-show-ended = Mostrar también los tokens caducados y revocados
console-tokens-hide-ended = Solo los tokens que funcionan
console-tokens-name = Nombre
console-tokens-name-hint = Qué programa usa el token, por ejemplo «Sistema de información académica».
console-tokens-state = Estado
console-tokens-active = Funciona
console-tokens-replaced = Reemplazado, aún funciona
console-tokens-expired = Caducado
console-tokens-revoked = Revocado
console-tokens-soon = Caduca pronto
console-tokens-replacement = El token que lo reemplaza
console-tokens-scope = Permisos
console-tokens-read = Leer
console-tokens-read-hint = Listas, búsquedas y consultas de personas, y lectura de exportaciones.
console-tokens-write = Leer y escribir
console-tokens-write-hint = También crea, cambia y elimina personas y grabaciones.
console-tokens-sync = Sincronizar cursos
console-tokens-sync-hint = Inicia la sincronización de cursos con tu plataforma de aprendizaje, y nada más.
console-tokens-everything = Todo
console-tokens-everything-hint = Lee, escribe y sincroniza cursos.
console-tokens-pages = Páginas de nombres
console-tokens-all-pages = Todas las páginas de nombres
console-tokens-all-pages-hint = También las que se creen más adelante.
console-tokens-some-pages = Solo estas páginas de nombres
console-tokens-no-pages = Ninguna ya
console-tokens-pages-none = Elige al menos una página de nombres.
console-tokens-pages-many = Son demasiadas. Elige como máximo { $most } páginas de nombres, o todas.
console-tokens-rows = Filas
console-tokens-newest = Una fila por persona
console-tokens-newest-hint = Si alguien está en varias páginas de nombres, una consulta por correo o identificador devuelve solo la ficha con la grabación más reciente.
console-tokens-held = Incluir a personas con reserva de directorio
console-tokens-held-hint = Los demás tokens muestran a estas personas como si no hubieran grabado. Solo para programas que use únicamente el personal.
console-tokens-held-short = Reserva de directorio
console-tokens-maker = Creado por
console-tokens-maker-unknown = No se sabe
console-tokens-maker-left = Ya no está
console-tokens-created = Creado
console-tokens-used = Último uso
console-tokens-never-used = Nunca
console-tokens-expires = Caduca
console-tokens-forever = No caduca
console-tokens-life = Cuánto tiempo funciona el token
console-tokens-days =
    { $count ->
        [one] { $count } día
       *[other] { $count } días
    }
console-tokens-hours =
    { $count ->
        [one] { $count } hora
       *[other] { $count } horas
    }
console-tokens-create = Crear el token
console-tokens-made-title = El nuevo token
console-tokens-made-once = Esto se muestra solo ahora. Cópialo a donde se vaya a usar: no guardamos ninguna copia.
console-tokens-overlap = El token anterior funciona hasta { $until }. Reemplázalo antes en todas partes.
console-tokens-secret = Token
console-tokens-copy-secret = Copiar el token
console-tokens-copy-curl = Copiar el comando
console-tokens-copied = Copiado
console-tokens-curl-title = Pruébalo
console-tokens-curl-about = Pega esta línea en una terminal. Muestra personas de tu institución.
console-tokens-curl-sync = Pega esta línea en una terminal. En ella, cambia API_TOKEN por el token de API de una plataforma de aprendizaje y COURSE_ID por el identificador de un curso.
console-tokens-go-on = Ya lo he copiado
console-tokens-requests = Peticiones, 30 días
console-tokens-requests-title = Peticiones por día
console-tokens-requests-sum =
    { $count ->
        [one] { $count } petición en los últimos 30 días.
       *[other] { $count } peticiones en los últimos 30 días.
    }
console-tokens-chart = Peticiones por día, como máximo { $most }
console-tokens-since = Del { $day } hasta hoy
console-tokens-by-day = Números por día
console-tokens-day = Día
console-tokens-counted = Las peticiones aparecen aquí después de unos segundos.
console-tokens-rotate-title = Reemplazar el token
console-tokens-rotate-about = Recibes un nuevo token con los mismos permisos. El anterior funciona por un tiempo, para que nada se interrumpa.
console-tokens-overlap-label = El token anterior funciona durante
console-tokens-overlap-none = Nada
console-tokens-rotate = Crear un nuevo token
console-tokens-revoke-title = Revocar el token
console-tokens-revoke-about = Deja de funcionar en menos de un segundo y no puede volver a funcionar.
console-tokens-revoke-confirm = Los programas que usan este token dejarán de funcionar
console-tokens-revoke-unconfirmed = Confírmalo, por favor.
console-tokens-revoke = Revocar el token
console-tokens-done-revoked = El token fue revocado.
