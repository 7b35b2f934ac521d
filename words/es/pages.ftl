# La página de inicio y las páginas de error. La referencia de la API está solo en inglés.

pages-site = Sitio
pages-reference = Referencia de la API
pages-home-title = Endonym: los nombres, dichos por quienes los llevan
pages-home-heading = Los nombres, dichos por quienes los llevan
pages-home-lead = Este es un servidor de Endonym. Las personas graban cómo se pronuncia su nombre; directorios, plataformas de aprendizaje y otras aplicaciones muestran los nombres y reproducen las grabaciones.
pages-home-promise = Los clientes de la Name Pronunciation Integration API, versiones 5 a 2, funcionan aquí sin cambios: solo la URL base es distinta.
pages-base-url = URL base
pages-developers = Para desarrollar
pages-reference-link = Referencia de la API (en inglés)
pages-reference-about = Cada operación con sus parámetros, sus respuestas y un comando para probarla.
pages-openapi = Documento OpenAPI, { $version }
pages-openapi-about = Para herramientas que generan clientes y pruebas.
pages-operators = Para operar el servidor
pages-healthz = ¿Está vivo el proceso?
pages-readyz = ¿Puede atender peticiones: está la base de datos accesible y al día?
pages-go-home = Ir a la página de inicio
pages-method-title = Aquí no se ofrece
pages-method = { $method } no se ofrece en esta dirección.
