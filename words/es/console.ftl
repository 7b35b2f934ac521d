# The console: its frame, overview and search.

console-overview = Resumen
console-people = Personas
console-name-pages = Páginas de nombres
console-moderation = Moderación
console-custom-fields = Campos personalizados
console-tokens = Tokens de acceso
console-learning-systems = Plataformas de aprendizaje
console-phone = Teléfono
console-messages = Mensajes
console-jobs = Exportaciones y tareas
console-settings = Ajustes
console-members = Miembros
console-audit = Registro de auditoría
console-title = Consola
console-menu = Menú
console-own-page = Tu propia página
console-forbidden-title = Esto no forma parte de tu rol
console-forbidden = Una persona propietaria o administradora de tu institución puede hacerlo, o darte el rol.
console-sign-in-again = Inicia sesión de nuevo para hacer esto.
