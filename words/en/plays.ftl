# How often a person's name was heard: a section of their own page.

plays-title = How often your name was heard
plays-none = Nobody has listened to your name in the last 30 days. When somebody does, you will see it here.
plays-sum =
    { $times ->
        [one] Your name was heard once in the last 30 days.
       *[other] Your name was heard { $times } times in the last 30 days.
    }
plays-chart =
    { $most ->
        [one] A chart of the last 30 days, with at most one play in a day.
       *[other] A chart of the last 30 days, with up to { $most } plays in a day.
    }
plays-counted = We count how often your recording is played and where, but we do not know who listens.
plays-today = Today
plays-details = Show where and when
plays-place = Place
plays-day = Day
plays-times = Plays
plays-from-badge = Your name badge
plays-from-player = A website that we do not know
plays-from-sites = Other websites
plays-from-link = A link or an app
plays-from-lti = Your learning system
plays-from-page = A name page
plays-date =
    { $month ->
        [1] January { $day }
        [2] February { $day }
        [3] March { $day }
        [4] April { $day }
        [5] May { $day }
        [6] June { $day }
        [7] July { $day }
        [8] August { $day }
        [9] September { $day }
        [10] October { $day }
        [11] November { $day }
       *[12] December { $day }
    }
