# Quantas vezes o nome de uma pessoa foi ouvido: uma seção da própria página.

plays-title = Quantas vezes seu nome foi ouvido
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
plays-counted = Contamos quantas vezes e onde sua gravação é reproduzida, mas não sabemos quem ouve.
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
plays-from-page = Uma página de nomes
plays-date = { $day ->
        [1] 1º
       *[other] { $day }
    } de { $month ->
        [1] janeiro
        [2] fevereiro
        [3] março
        [4] abril
        [5] maio
        [6] junho
        [7] julho
        [8] agosto
        [9] setembro
        [10] outubro
        [11] novembro
       *[12] dezembro
    }
