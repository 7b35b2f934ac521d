# Mensajes de correo. El asunto nombra la institución al final, porque su nombre puede estar en otra escritura.

mail-sign-in-subject = Tu código para iniciar sesión: { $institution }
mail-sign-in-title = Iniciar sesión
mail-sign-in-code = Escribe este código en la página donde lo pediste:
mail-sign-in-link = O abre este enlace, en este o en otro dispositivo:
mail-sign-in-button = Continuar para iniciar sesión
mail-sign-in-once = El código y el enlace sirven una sola vez, durante diez minutos.
mail-sign-in-why = Alguien pidió iniciar sesión con la dirección { $email }.
mail-sign-in-ignore = Si no fuiste tú, ignora este mensaje. Nadie puede iniciar sesión sin el código o el enlace, así que no los compartas.
mail-test-subject = Mensaje de prueba
mail-test-title = El correo funciona
mail-test-body = Este es un mensaje de prueba de Endonym. Si puedes leerlo, esta instalación puede enviar correo.
