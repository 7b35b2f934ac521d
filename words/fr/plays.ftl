# Combien de fois le nom d’une personne a été écouté : une partie de sa page personnelle.

plays-title = Nombre d’écoutes
plays-none = Personne n’a écouté votre nom au cours des 30 derniers jours. Dès que quelqu’un le fera, vous le verrez ici.
plays-sum =
    { $times ->
        [one] Votre nom a été écouté une fois au cours des 30 derniers jours.
       *[other] Votre nom a été écouté { $times } fois au cours des 30 derniers jours.
    }
plays-chart =
    { $most ->
        [one] Graphique des 30 derniers jours, avec une écoute par jour au maximum.
       *[other] Graphique des 30 derniers jours, avec jusqu’à { $most } écoutes en un jour.
    }
plays-counted = Nous comptons combien de fois et où votre enregistrement est écouté, mais nous ne savons pas par qui.
plays-today = Aujourd’hui
plays-details = Voir où et quand
plays-place = Lieu
plays-day = Jour
plays-times = Écoutes
plays-from-badge = Votre badge
plays-from-player = Un site web que nous ne connaissons pas
plays-from-sites = D’autres sites web
plays-from-link = Un lien ou une application
plays-from-lti = Votre plateforme d’apprentissage
plays-from-page = Une page de noms
plays-date = { $day ->
        [1] 1er
       *[other] { $day }
    } { $month ->
        [1] janvier
        [2] février
        [3] mars
        [4] avril
        [5] mai
        [6] juin
        [7] juillet
        [8] août
        [9] septembre
        [10] octobre
        [11] novembre
       *[12] décembre
    }
