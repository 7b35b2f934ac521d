# The listening page of a name page: the list, asking for a recording, reporting one.

people-title = { $page }: names and how they are said
people-coverage =
    { $recorded ->
        [one] One of { $registered } has recorded their name.
       *[other] { $recorded } of { $registered } have recorded their names.
    }
people-find = Find a name
people-find-send = Find
people-shown = Which people are shown
people-everybody = Everybody
people-unrecorded = Not recorded yet
people-recorded = Recorded
people-letters = Initial letters
people-found =
    { $count ->
        [one] One person.
       *[other] { $count } people.
    }
people-found-nobody = Nobody here is called { $search }.
people-show-everybody = Show everybody
people-all-recorded = Everybody has recorded their name.
people-nobody = There is nobody here yet.
people-pages = Parts of the list
people-page = Page { $page } of { $pages }
people-back = Previous
people-next = Next
people-list = Back to the list
people-play-all = Play all
people-play-all-file = Play all as one file
people-stop = Stop
people-print = Print view
people-print-now = Print
people-keys = Keyboard
people-keys-hint = Go to the list with the Tab key, or with the down arrow from the search field.
people-keys-arrows = The next or the previous person
people-keys-space-name = Space
people-keys-space = Play the name, or stop
people-keys-home-name = Home
people-keys-end-name = End
people-keys-ends = The first or the last person
people-name = Name
people-phonetic = How it is said
people-pronouns = Pronouns
people-recording = Recording
people-inside = Sign in to hear this name
people-only-inside = Only for people of { $institution }
people-ask = Ask for a recording
people-ask-outside = Open this page in a tab of its own to ask for recordings
people-asked = Thank you. We pass your request on, at most once a week and only if the person wants to get such messages.
people-report = Report
people-report-label = Report the entry of { $name } (opens in a new tab)
people-report-title = Report an entry
people-report-lead = You are reporting the entry of { $name }. Those who manage this page will look at it and decide.
people-report-about = What do you want to report?
people-report-about-recording = The recording
people-report-about-entry = The name, its spelling or the picture
people-report-why = What is wrong with it?
people-report-wrong-person = It is the name or the voice of somebody else
people-report-offensive = It is offensive
people-report-unintelligible = It cannot be understood
people-report-sentence = Tell us more
people-report-sentence-hint = A sentence is enough.
people-report-sentence-fault = Please write a sentence, in at most 1,000 characters.
people-report-choose = Please choose what is wrong.
people-report-send = Send
people-reported = Thank you. Those who manage this page will look at it.
people-too-many-title = Please wait a little
people-too-many = There were too many requests from your network. Please try again in an hour.
people-closed-title = You cannot listen here
people-closed = Only some people may hear the names on this page. If you should be one of them, please ask those who manage the page, or sign in with another email.
people-requests-title = Requests for a recording
people-requests-label = Others may ask me to record my name
people-requests-hint = You get at most one message a week, and only while there is no recording of your name.
people-requests-done = Saved.
