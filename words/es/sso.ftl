# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = Iniciar sesión con { $name }
sso-over-title = Vuelve a iniciar sesión, por favor
sso-over = Este inicio de sesión ha caducado, ya se usó o se empezó en otro navegador. Empieza de nuevo desde la página de inicio de sesión.
sso-denied-title = No has iniciado sesión
sso-denied = Cancelaste el proceso, o { $name } no te dejó entrar. Inténtalo de nuevo o inicia sesión por correo electrónico.
sso-away-title = { $name } no responde
sso-away = Ahora mismo no podemos conectar con { $name }. Inténtalo de nuevo en unos minutos o inicia sesión por correo electrónico.
sso-setup-title = El inicio de sesión con { $name } no funciona
sso-setup = La conexión entre nosotros y { $name } no está bien configurada. Avisa a tu institución, por favor. Mientras tanto, puedes iniciar sesión por correo electrónico.
sso-forged-title = No pudimos iniciar tu sesión
sso-forged = No pudimos comprobar la respuesta de { $name }. Inténtalo de nuevo desde la página de inicio de sesión.
sso-no-email-title = Falta tu dirección de correo electrónico
sso-no-email = { $name } no nos envió tu dirección de correo electrónico, así que no podemos encontrar tu nombre aquí. Inicia sesión por correo electrónico.
sso-unverified-title = Tu dirección de correo electrónico no está confirmada
sso-unverified = { $name } no ha confirmado que la dirección de correo electrónico sea tuya. Confírmala allí o inicia sesión por correo electrónico.
sso-domain-title = Esta dirección no se puede usar aquí
sso-domain = Has iniciado sesión en { $name } como { $email }, pero esta institución no acepta direcciones de ese tipo. Inténtalo de nuevo con otra cuenta.
sso-unknown-title = No tienes una ficha aquí
sso-unknown = { $name } ha confirmado que eres { $email }, pero aquí no hay nadie con esa dirección. Pide a tu institución que te añada o inténtalo de nuevo con otra cuenta.
sso-wait-title = Espera un poco, por favor
sso-wait = Ahora mismo hay demasiados inicios de sesión desde tu red. Inténtalo de nuevo en un minuto.
sso-signed-out-title = Has cerrado la sesión
sso-signed-out = Has cerrado la sesión aquí. A continuación te llevamos a { $name } para que también puedas cerrarla allí.
sso-unconfirmed-title = No hemos podido confirmar que eres tú
sso-unconfirmed = Para este paso necesitamos saber que acabas de iniciar sesión con { $name }, y no nos lo ha dicho. Cierra la sesión allí, vuelve a iniciarla y repite el paso. Si no sirve, pide un enlace de inicio de sesión a quienes gestionan este servicio.
sso-tenant = Has iniciado sesión en { $name } con una cuenta que no pertenece a esta institución. Inténtalo de nuevo con otra cuenta.
