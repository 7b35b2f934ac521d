# La página propia de una persona.

me-title = Tu nombre
me-back = Volver a tu nombre
me-gone-title = Tu sesión se cerró
me-gone = Tu institución ya no tiene aquí una ficha a tu nombre. Si es un error, ponte en contacto con tu institución.

me-recording-title = Tu grabación
me-recording-play = Tu grabación en { $page }
me-recording-none = Las demás personas aún no pueden oír tu nombre.
me-recording-paused = Tu grabación se conserva, pero por ahora nadie puede oírla.
me-recording-only-here = La grabaste solo para esta página.
me-recording-delete = Eliminar mi grabación
me-recording-delete-explained = Tu grabación se quitará de todas tus páginas y sus enlaces dejarán de funcionar. Esto no se puede deshacer. Puedes volver a grabar tu nombre cuando quieras.
me-recording-delete-now = Eliminar de todas partes
me-recording-delete-page = Eliminar la grabación para { $page }
me-recording-delete-page-explained = Esta grabación se quitará de esta página y su enlace dejará de funcionar. Esto no se puede deshacer.
me-recording-delete-page-now = Eliminar de esta página
me-record-for = Grabar para
me-record-for-all = Todas mis páginas
me-record-for-one = Solo { $page }

me-audience-heading = Privacidad
me-directory-hold = Tu institución ha puesto una reserva de directorio para ti: no informa de nada al público sobre ti. Tu tarjeta con el nombre está cerrada y no estás en páginas de nombres públicas, elijas lo que elijas abajo. Solo quienes enseñan en una de tus páginas de nombres o la gestionan pueden oír tu nombre, tras iniciar sesión. Para terminar la reserva, pregunta a tu institución.
me-audience-title = Quién puede oír tu grabación
me-audience-public = Cualquier persona con el enlace
me-audience-public-hint = Toda persona que tenga el enlace a tu nombre puede oírla.
me-audience-institution = Mi institución
me-audience-institution-hint = Las personas de tu institución pueden oírla, en los sistemas de la institución o después de iniciar sesión.
me-audience-paused = Nadie por ahora
me-audience-paused-hint = Tu grabación se conserva, pero ningún enlace a ella funcionará hasta que elijas otra opción.

me-details-title = Por escrito
me-phonetic = Escritura fonética
me-phonetic-hint = Escribe tu nombre como suena, por ejemplo shi-VON.
me-phonetic-guide-title = Cómo escribir un nombre como suena
me-phonetic-guide = Escríbelo de manera que alguien que nunca haya visto tu nombre lo lea bien.
me-phonetic-guide-syllables = Pon un guion entre las sílabas: shi-von.
me-phonetic-guide-stress = Usa mayúsculas en la parte que se acentúa: shi-VON.
me-phonetic-guide-rhyme = Si un sonido es difícil de escribir, da una palabra que rime: «rima con balón».
me-notes = Notas
me-notes-hint = Cualquier otra cosa que convenga saber sobre tu nombre.

me-call-lead = Recibes una llamada automática y dices tu nombre por teléfono.
me-call-soon = Te llamaremos pronto. Puedes indicar otro número.
me-call-send = Quiero que me llamen
me-phone-number = Número de teléfono
me-phone-number-hint = Con el código del país, como +12025550123.

me-done-recording = Tu grabación se guardó.
me-done-deleted = Tu grabación se eliminó.
me-done-audience = Tu elección se guardó.
me-done-details = Tus cambios se guardaron.
me-done-call = Te llamaremos pronto.

me-fault-long = Es demasiado largo. Usa como máximo { $most } caracteres.
me-fault-characters = Contiene caracteres que no se pueden usar aquí.
me-fault-phone-blank = Escribe un número de teléfono.
me-fault-phone = No podemos usar este número de teléfono. Debería ser como +12025550123.
me-fault-not-callable = No podemos llamar a este número. Prueba con otro número o graba tu nombre aquí.
me-fault-too-many-calls = Hoy ya te llamamos demasiadas veces. Inténtalo de nuevo mañana o graba tu nombre aquí.
me-fault-audience = Tu institución no ofrece esta opción. Elige otra, por favor.
me-fault-page = Tu nombre ya no está en esa página. Recarga y elige otra, por favor.
me-kept-title = Sus grabaciones sustituidas
me-kept-about = Otra persona ha sustituido grabaciones que usted hizo. Nadie oirá las suyas hasta que las restablezca.
me-kept-replaced = Sustituida: { $time }.
me-kept-until = Se conserva hasta { $time }.
me-kept-put-back = Restablecer mi grabación
me-kept-done = Su grabación está de vuelta.
