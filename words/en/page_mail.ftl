# Page mails: mails about name pages, the page where an institution changes them, and the page where people stop them. In a page mail, a line with a
# value that is missing is left out, and the link is on a line of its own.

page-mail-invitation-subject = Record how your name is said: { $page }
page-mail-invitation-text =
    Hello { $name },

    Please record how your name is said for { $page }. It takes about a minute, in your browser, and you can change it at any time.

    { $link }

    Recording is possible until { $closes }.

    This link is only for you. Please do not pass it on.
page-mail-reminder-subject = A reminder to record your name: { $page }
page-mail-reminder-text =
    Hello { $name },

    Your recording for { $page } is still missing. It takes about a minute, in your browser.

    { $link }

    Recording is possible until { $closes }.

    This link is only for you. Please do not pass it on.
page-mail-rejection-subject = Please record your name again: { $page }
page-mail-rejection-text =
    Hello { $name },

    Your recording for { $page } was not accepted. This is the reason:

    { $reason }

    You can record your name again:

    { $link }

    Recording is possible until { $closes }.
page-mail-entry-rejection-subject = Please look at your entry again: { $page }
page-mail-entry-rejection-text =
    Hello { $name },

    Your entry for { $page } was not accepted, so others do not see it. This is the reason:

    { $reason }

    You can change it here:

    { $link }

    Recording is possible until { $closes }.
page-mail-request-subject = Somebody would like to hear your name: { $page }
page-mail-request-text =
    Hello { $name },

    Somebody on { $page } would like to say your name correctly, and there is no recording of it yet. It takes about a minute, in your browser.

    { $link }

    Recording is possible until { $closes }.

    You can switch off requests like this one on your own page, under “Requests for a recording”.
page-mail-retention-subject = Recordings will be deleted: { $page }
page-mail-retention-text =
    Hello { $name },

    The recordings of { $page } will be deleted on { $date }, and yours is one of them. You do not need to do anything.

    If you want to keep your recording, you can listen to it and download it until then:

    { $link }
page-mail-button-record = Record your name
page-mail-button-page = Open the page
page-mail-why = { $institution } sends this message with Endonym, so that names are said correctly.
page-mail-stop = To receive no more such messages, open this link. You will still get the sign-in emails that you ask for.
page-mail-stop-link = Receive no more such messages
page-mail-stop-title = Emails about name pages
page-mail-stop-lead = { $institution } may send messages about name pages to { $email }: invitations, reminders, and what happens to recordings.
page-mail-stop-what = If you stop them, you will still get the sign-in emails that you ask for. You can change this here at any time.
page-mail-stop-button = Stop messages
page-mail-stopped = { $institution } sends no more messages to { $email }. You will still get the sign-in emails that you ask for.
page-mail-start-lead = Was this a mistake? Then you can receive messages again.
page-mail-start-button = Receive messages again
page-mail-stop-unknown-title = This link does not work
page-mail-stop-unknown = Please check that you have copied the whole link from the message.
page-mail-page-title = Messages
page-mail-page-lead = These texts are for all name pages of { $institution }. Each message is in the language of its recipient.
page-mail-page-kind = Message
page-mail-page-language = Language
page-mail-page-show = Show
page-mail-kind-invitation = Invitation
page-mail-kind-reminder = Reminder
page-mail-kind-rejection = Recording not accepted
page-mail-kind-entry-rejection = Entry not accepted
page-mail-kind-request = Request for a recording
page-mail-kind-retention = Recordings will be deleted
page-mail-page-built-in = This is the text that comes with Endonym.
page-mail-page-own = This is your own text.
page-mail-page-unsaved = This text is not saved yet.
page-mail-page-outdated = Somebody else has changed the text while you were writing, and nothing of yours is saved yet. This is theirs. Save again to replace it.
page-mail-page-outdated-reset = Somebody else has gone back to the original text while you were writing, and nothing of yours is saved yet. This is the original text. Save again to replace it.
page-mail-page-not-reset = Somebody else has changed the text since you opened this page, and the original text was not restored. This is theirs. To replace it, choose “Go back to the original text” again.
page-mail-page-subject = Subject
page-mail-page-subject-help = It may contain: { $placeholders }
page-mail-page-text = Text
page-mail-page-text-help = It may contain: { $placeholders }. The link must be there. A line with a value that is missing is left out. Blank lines separate paragraphs.
page-mail-page-preview = Show preview
page-mail-page-reset = Go back to the original text
page-mail-page-preview-title = Preview
page-mail-page-test-title = Test message
page-mail-page-test-lead = The saved text, with made-up contents, goes to { $email }.
page-mail-page-test = Send me a test message
page-mail-page-saved = The text is saved.
page-mail-page-was-reset = The original text is used again.
page-mail-page-tested = The test message is on its way.
page-mail-fault-blank = Please enter a text.
page-mail-fault-long = The text is too long. It can have { $most } characters.
page-mail-fault-characters = The text contains characters that cannot be sent.
page-mail-fault-unknown = { $placeholder } is not a placeholder that is filled in here. Please check its spelling and the braces.
page-mail-fault-missing = The text must contain { $placeholder }.
page-mail-sample-page = Sample page
page-mail-sample-reason = The recording is too quiet.
