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
mail-address-subject = Se ha cambiado su dirección: { $institution }
mail-address-what = { $institution } ha cambiado la dirección de su registro de { $old } a { $new }. El registro con sus grabaciones y la página para cambiarlas pertenecen ahora a la nueva dirección.
mail-address-then = Si no lo esperaba, pregunte enseguida a { $institution }. Con la nueva dirección, verá su registro aquí:
mail-replaced-subject = Se ha sustituido su grabación: { $institution }
mail-replaced-what = Otra persona ha sustituido la grabación de su nombre que usted hizo, en la página { $page } de { $institution }.
mail-replaced-then = Su propia grabación se conserva hasta el { $date }. Puede restablecerla con un clic en su página:
mail-merged-subject = Se han combinado dos entradas: { $institution }
mail-merged-own = Tu entrada para { $page } se ha combinado con una entrada que tenía otra dirección de correo. Es posible que haya tomado de ella una grabación.
mail-merged-other = Tu entrada para { $page } se ha combinado con una entrada de otra dirección de correo. Lo que tenía, como tu grabación, puede pertenecer ahora a esa dirección, y con esta no puedes cambiarlo.
mail-merged-then = Si estas entradas no son de la misma persona, avisa a { $institution } de inmediato.
