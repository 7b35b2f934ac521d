# The listening page of a name page: the list, asking for a recording, reporting one.

people-title = { $page }: nombres y cómo se pronuncian
people-coverage =
    { $recorded ->
        [one] Una persona de { $registered } ha grabado su nombre.
       *[other] { $recorded } de { $registered } personas han grabado su nombre.
    }
people-find = Buscar un nombre
people-find-send = Buscar
people-shown = Qué personas se muestran
people-everybody = Todas las personas
people-unrecorded = Aún sin grabación
people-recorded = Con grabación
people-letters = Iniciales
people-found =
    { $count ->
        [one] Una persona.
       *[other] { $count } personas.
    }
people-found-nobody = Aquí no hay nadie que se llame { $search }.
people-show-everybody = Mostrar a todas las personas
people-all-recorded = Todas las personas han grabado su nombre.
people-nobody = Aquí todavía no hay nadie.
people-pages = Partes de la lista
people-page = Página { $page } de { $pages }
people-back = Anterior
people-next = Siguiente
people-list = Volver a la lista
people-play-all = Reproducir todos
people-play-all-file = Reproducir todos en un solo archivo
people-stop = Detener
people-print = Versión para imprimir
people-print-now = Imprimir
people-keys = Teclado
people-keys-hint = Ve a la lista con la tecla Tab, o con la flecha abajo desde el campo de búsqueda.
people-keys-arrows = La persona siguiente o la anterior
people-keys-space-name = Espacio
people-keys-space = Reproducir el nombre, o detenerlo
people-keys-home-name = Inicio
people-keys-end-name = Fin
people-keys-ends = La primera o la última persona
people-name = Nombre
people-phonetic = Cómo se pronuncia
people-pronouns = Pronombres
people-recording = Grabación
people-inside = Inicia sesión para escuchar este nombre
people-only-inside = Solo para personas de { $institution }
people-ask = Pedir una grabación
people-ask-outside = Abre esta página en su propia pestaña para pedir grabaciones
people-asked = Gracias. Transmitimos tu petición, como mucho una vez por semana y solo si la persona quiere recibir estos mensajes.
people-report = Denunciar
people-report-label = Denunciar la entrada de { $name } (se abre en otra pestaña)
people-report-title = Denunciar una entrada
people-report-lead = Vas a denunciar la entrada de { $name }. Quienes gestionan esta página la revisarán y decidirán.
people-report-about = ¿Qué quieres denunciar?
people-report-about-recording = La grabación
people-report-about-entry = El nombre, su transcripción o la foto
people-report-why = ¿Qué problema tiene?
people-report-wrong-person = Es el nombre o la voz de otra persona
people-report-offensive = Es ofensiva
people-report-unintelligible = No se entiende
people-report-sentence = Cuéntanos más
people-report-sentence-hint = Basta con una frase.
people-report-sentence-fault = Escribe una frase, de 1000 caracteres como máximo.
people-report-choose = Elige qué problema tiene.
people-report-send = Enviar
people-reported = Gracias. Quienes gestionan esta página lo revisarán.
people-too-many-title = Espera un poco
people-too-many = Ha habido demasiadas peticiones desde tu red. Inténtalo de nuevo dentro de una hora.
people-closed-title = Aquí no puedes escuchar
people-closed = Solo algunas personas pueden escuchar los nombres de esta página. Si deberías poder hacerlo, pregunta a quienes gestionan la página o inicia sesión con otro correo.
people-requests-title = Peticiones de una grabación
people-requests-label = Otras personas pueden pedirme que grabe mi nombre
people-requests-hint = Recibes como mucho un mensaje por semana, y solo mientras no haya una grabación de tu nombre.
people-requests-done = Guardado.
