# Quién cambió los datos de una persona: una sección de su propia página.

changes-title = Cambios en tu ficha
changes-hint = Tu institución guarda un registro de quién cambia tus datos. Estos son los cambios más recientes.
changes-none = Todavía no se ha cambiado nada.

changes-act-created = Se creó tu ficha
changes-act-updated = Se cambiaron tus datos
changes-act-deleted = Se eliminó tu ficha
changes-act-hidden = Se te quitó de una página
changes-act-shown = Vuelves a estar en una página
changes-act-recording = Se guardó tu grabación
changes-act-recording-held = Tu grabación espera aprobación
changes-act-recording-deleted = Se eliminó tu grabación
changes-act-photo = Se guardó tu foto
changes-act-photo-deleted = Se quitó tu foto
changes-act-consent = Aceptaste el texto sobre las grabaciones
changes-act-consent-withdrawn = Retiraste tu consentimiento
changes-act-approved = Se aprobó tu grabación o tu entrada
changes-act-refused = No se aceptó tu grabación o tu entrada
changes-act-restored = Se restauró tu grabación o tu entrada
changes-act-settings = Se cambiaron tus ajustes
changes-act-directory-hold = Se puso o terminó tu reserva de directorio
changes-act-role = Se cambió tu función
changes-act-invitation = Se cambió tu invitación
changes-act-call = Se cambió una llamada a tu teléfono
changes-act-mail = Se cambiaron los mensajes para ti
changes-act-copy = Se hizo una copia de tus datos
changes-act-link = Se creó un enlace para iniciar sesión en tu nombre
changes-act-other = Se cambió otra cosa

changes-by-you = Tú
changes-by-staff = El personal de tu institución
changes-by-member = El personal de tu institución ({ $email })
changes-by-token = Un sistema de tu institución ({ $name })
changes-by-system = Automáticamente
changes-by-named-system = Tu plataforma de aprendizaje ({ $name })
