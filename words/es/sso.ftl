# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = Iniciar sesión con { $name }
sso-over-title = Vuelva a iniciar sesión
sso-over = Este inicio de sesión ha caducado, ya se utilizó o se empezó en otro navegador. Empiece de nuevo desde la página de inicio de sesión.
sso-denied-title = No ha iniciado sesión
sso-denied = Usted canceló el proceso, o { $name } no le permitió entrar. Inténtelo de nuevo o inicie sesión por correo electrónico.
sso-away-title = { $name } no responde
sso-away = Ahora mismo no podemos conectar con { $name }. Inténtelo de nuevo en unos minutos o inicie sesión por correo electrónico.
sso-setup-title = El inicio de sesión con { $name } no funciona
sso-setup = La conexión entre nosotros y { $name } no está bien configurada. Avise a su institución. Mientras tanto, puede iniciar sesión por correo electrónico.
sso-forged-title = No pudimos iniciar su sesión
sso-forged = No pudimos comprobar la respuesta de { $name }. Inténtelo de nuevo desde la página de inicio de sesión.
sso-no-email-title = Falta su dirección de correo
sso-no-email = { $name } no nos envió su dirección de correo electrónico, así que no podemos encontrar su nombre aquí. Inicie sesión por correo electrónico.
sso-unverified-title = Su dirección de correo no está confirmada
sso-unverified = { $name } no ha confirmado que la dirección de correo le pertenezca. Confírmela allí o inicie sesión por correo electrónico.
sso-domain-title = Esta dirección no se puede usar aquí
sso-domain = Su sesión en { $name } es la de { $email }, y esta institución no acepta direcciones de ese tipo. Inténtelo de nuevo con otra cuenta.
sso-unknown-title = Usted no está en la lista
sso-unknown = { $name } ha confirmado que usted es { $email }, pero aquí no hay nadie registrado con esa dirección. Pida a su institución que le añada o inténtelo de nuevo con otra cuenta.
sso-wait-title = Espere un momento
sso-wait = Ahora mismo hay demasiados inicios de sesión desde su red. Inténtelo de nuevo dentro de un minuto.
sso-signed-out-title = Ha cerrado la sesión
sso-signed-out = Ha cerrado la sesión aquí. A continuación le llevamos a { $name } para que también pueda cerrarla allí.
