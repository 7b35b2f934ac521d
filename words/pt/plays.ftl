# Quantas vezes o nome de uma pessoa foi ouvido: uma seção da própria página.

plays-title = Quantas vezes foi ouvido
plays-none = Ninguém ouviu seu nome nos últimos 30 dias. Quando alguém ouvir, você verá aqui.
plays-sum =
    { $times ->
        [one] Seu nome foi ouvido uma vez nos últimos 30 dias.
       *[other] Seu nome foi ouvido { $times } vezes nos últimos 30 dias.
    }
plays-chart =
    { $most ->
        [one] Gráfico dos últimos 30 dias, com no máximo uma reprodução por dia.
       *[other] Gráfico dos últimos 30 dias, com até { $most } reproduções em um dia.
    }
plays-counted = Contamos quantas vezes e onde sua gravação é tocada, mas não sabemos quem ouve.
plays-today = Hoje
plays-details = Ver onde e quando
plays-place = Lugar
plays-day = Dia
plays-times = Reproduções
plays-from-badge = O cartão com seu nome
plays-from-player = Um site que não conhecemos
plays-from-sites = Outros sites
plays-from-link = Um link ou um aplicativo
plays-from-lti = Sua plataforma de aprendizagem
plays-date =
    { $month ->
        [1] { $day } de janeiro
        [2] { $day } de fevereiro
        [3] { $day } de março
        [4] { $day } de abril
        [5] { $day } de maio
        [6] { $day } de junho
        [7] { $day } de julho
        [8] { $day } de agosto
        [9] { $day } de setembro
        [10] { $day } de outubro
        [11] { $day } de novembro
       *[12] { $day } de dezembro
    }
