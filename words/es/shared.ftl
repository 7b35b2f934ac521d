# Diseño, navegación, botones y errores que usan varias áreas.

shared-skip = Ir al contenido
shared-language = Idioma
shared-sign-out = Cerrar sesión
shared-save = Guardar
shared-continue = Continuar
shared-blank = Rellena este campo.
shared-cannot-play = Ahora no se puede reproducir esta grabación. Inténtalo de nuevo en un momento.
shared-trouble-title = Algo salió mal
shared-trouble = El error es nuestro. Inténtalo de nuevo en un momento.
shared-nothing-title = Aquí no hay nada
shared-nothing = La página que buscas no existe.
shared-unreadable-title = No funcionó
shared-unreadable = Tu navegador envió algo que no pudimos leer. Vuelve atrás e inténtalo de nuevo.
shared-busy = El servidor está ocupado. Inténtalo de nuevo en un momento.
shared-form-expired-title = Vuelve a enviarlo, por favor
shared-form-expired = Esta página estuvo abierta demasiado tiempo o se envió desde otro sitio. Vuelve atrás, recarga la página y envíala de nuevo.
