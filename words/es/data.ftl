# Consent, search engines, a copy of everything, deleting everything, and the owner's link on a badge.

data-title = Tus datos

data-consent-title = Antes de grabar
data-consent-purpose = { $institution } guarda una grabación de tu nombre para que otras personas puedan oír cómo se pronuncia.
data-consent-choice = Tú decides quién puede oírla. Puedes cambiarla o eliminarla cuando quieras, y retirar tu consentimiento.
data-consent-never = Tu voz no se usa para nada más: nunca para crear huellas de voz, que reconocen a las personas por su voz, ni para entrenar programas.
data-consent-agree = Acepto
data-consent-done = Gracias. Ya puedes grabar tu nombre.
data-consent-needed = Acepta primero el texto sobre las grabaciones. Abre de nuevo esta página en otra pestaña, acepta allí y después envía tu grabación desde aquí.
data-consent-section = Tu consentimiento
data-consent-since = El { $date } aceptaste que se grabe tu nombre.
data-consent-read = Leer lo que aceptaste
data-consent-withdraw = Retirar mi consentimiento
data-consent-withdraw-explained = Elige qué pasa con tus grabaciones. Se cancelan las llamadas que estés esperando. Para volver a grabar tu nombre, solo tienes que aceptar de nuevo.
data-consent-withdraw-pause = Retirarlo y conservar mis grabaciones sin que nadie pueda oírlas
data-consent-withdraw-delete = Retirarlo y eliminar mis grabaciones
data-consent-withdrawn = Has retirado tu consentimiento.

data-search-title = Buscadores
data-search-label = Los buscadores pueden mostrar mi nombre
data-search-hint = Solo funciona mientras cualquier persona con el enlace pueda oír tu nombre. Si no, pedimos a los buscadores que no muestren tu página.

data-copy = Descargar una copia de todo
data-copy-hint = Un archivo ZIP con tus grabaciones e imágenes, y con todo lo demás que se guarda sobre ti.

data-sign-out-everywhere = Cerrar sesión en todos los dispositivos

data-delete = Eliminar todo
data-delete-title = ¿Eliminar todo sobre ti?
data-delete-lead = Esto no se puede deshacer. En { $institution } se eliminará:
data-delete-pages = Tu nombre en estas páginas:
data-delete-recordings = Tus grabaciones e imágenes, con todos sus enlaces
data-delete-rest = Tu número de teléfono, llamadas, ajustes, consentimientos e inicios de sesión
data-delete-courses = Si todavía estás en un curso, tu nombre puede volver cuando el curso se sincronice, pero sin nada de lo que elimines ahora.
data-delete-elsewhere = No se elimina lo que tu institución guarda en otros sistemas. Las copias de seguridad anteriores conservan tus datos hasta que también se eliminen.
data-delete-now = Eliminar todo sobre mí
data-deleted-title = Se eliminó todo
data-deleted = Aquí ya no se guarda nada sobre ti, y se ha cerrado tu sesión en todas partes.
data-deleting-title = Se están eliminando tus datos
data-deleting = Tu nombre se ha eliminado de aquí, y se ha cerrado tu sesión en todas partes. Algunos archivos con tus datos, por ejemplo la grabación de una llamada, todavía se están eliminando. No tienes que hacer nada.

data-handed-over-title = Este dispositivo solo puede grabar
data-handed-over = Has llegado aquí escaneando un código, lo que basta para grabar tu nombre. Para hacer esto, inicia sesión con tu correo electrónico.

data-badge-mine = Soy yo: hacer cambios
