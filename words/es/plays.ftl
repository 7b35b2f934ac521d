# Cuántas veces se escuchó el nombre de una persona: una sección de su propia página.

plays-title = Cuántas veces se escuchó tu nombre
plays-none = Nadie ha escuchado tu nombre en los últimos 30 días. Cuando alguien lo haga, lo verás aquí.
plays-sum =
    { $times ->
        [one] Tu nombre se escuchó una vez en los últimos 30 días.
       *[other] Tu nombre se escuchó { $times } veces en los últimos 30 días.
    }
plays-chart =
    { $most ->
        [one] Gráfico de los últimos 30 días, con una reproducción al día como máximo.
       *[other] Gráfico de los últimos 30 días, con hasta { $most } reproducciones en un día.
    }
plays-counted = Contamos cuántas veces se reproduce tu grabación y dónde, pero no sabemos quién la escucha.
plays-today = Hoy
plays-details = Ver dónde y cuándo
plays-place = Lugar
plays-day = Día
plays-times = Reproducciones
plays-from-badge = La tarjeta con tu nombre
plays-from-player = Un sitio web que no conocemos
plays-from-sites = Otros sitios web
plays-from-link = Un enlace o una aplicación
plays-from-lti = Tu plataforma de aprendizaje
plays-from-page = Una página de nombres
plays-date =
    { $month ->
        [1] { $day } de enero
        [2] { $day } de febrero
        [3] { $day } de marzo
        [4] { $day } de abril
        [5] { $day } de mayo
        [6] { $day } de junio
        [7] { $day } de julio
        [8] { $day } de agosto
        [9] { $day } de septiembre
        [10] { $day } de octubre
        [11] { $day } de noviembre
       *[12] { $day } de diciembre
    }
