# Para miembros, que gestionan o escuchan páginas de nombres.

member-title = Tus páginas
member-back = Volver a tus páginas
member-manage-title = Páginas que gestionas
member-hear-title = Páginas que puedes escuchar
member-open-title = Páginas a las que puedes añadir tu nombre
member-newest = Aquí solo se muestran las páginas más recientes.
member-none = Todavía no tienes ninguna página. Tu institución puede darte una.
member-delete-role = Tu función en la gestión de páginas
member-last-owner-title = Nadie más tiene el rol de titular
member-last-owner = Tu institución necesita al menos una persona titular. Primero asigna ese rol a otra persona. Después podrás eliminarlo todo.

member-export-title = Exportar personas
member-export-xlsx = Todas las personas, como hoja de cálculo (XLSX)
member-export-csv = Todas las personas, como tabla sencilla (CSV)
member-export-zip = Todas las grabaciones, como archivos MP3 (ZIP)
member-export-vcard = Todas las personas, para una libreta de direcciones (vCard)
member-export-hint = Los archivos contienen direcciones de correo y otros datos personales. No incluyen las grabaciones en pausa ni las que esperan aprobación.
