# Wie oft der Name einer Person angehört wurde: ein Abschnitt ihrer eigenen Seite.

plays-title = Wie oft dein Name angehört wurde
plays-none = In den letzten 30 Tagen hat niemand deinen Namen angehört. Sobald es jemand tut, siehst du es hier.
plays-sum =
    { $times ->
        [one] Dein Name wurde in den letzten 30 Tagen einmal angehört.
       *[other] Dein Name wurde in den letzten 30 Tagen { $times }-mal angehört.
    }
plays-chart =
    { $most ->
        [one] Diagramm der letzten 30 Tage, höchstens einmal am Tag angehört.
       *[other] Diagramm der letzten 30 Tage, bis zu { $most }-mal am Tag angehört.
    }
plays-counted = Wir zählen, wie oft und wo deine Aufnahme abgespielt wird. Wer sie anhört, wissen wir nicht.
plays-today = Heute
plays-details = Zeigen, wo und wann
plays-place = Ort
plays-day = Tag
plays-times = Angehört
plays-from-badge = Dein Namensschild
plays-from-player = Eine Website, die wir nicht kennen
plays-from-sites = Andere Websites
plays-from-link = Ein Link oder eine App
plays-from-lti = Deine Lernplattform
plays-from-page = Eine Namensseite
plays-date =
    { $month ->
        [1] { $day }. Januar
        [2] { $day }. Februar
        [3] { $day }. März
        [4] { $day }. April
        [5] { $day }. Mai
        [6] { $day }. Juni
        [7] { $day }. Juli
        [8] { $day }. August
        [9] { $day }. September
        [10] { $day }. Oktober
        [11] { $day }. November
       *[12] { $day }. Dezember
    }
