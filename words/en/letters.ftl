# Letters about name pages, the page where an institution changes them, and the page where people stop them. In a letter, a line with a
# value that is missing is left out, and the link is on a line of its own.

letters-invitation-subject = Record how your name is said: { $page }
letters-invitation-text =
    Hello { $name },

    Please record how your name is said for { $page }. It takes about a minute, in your browser, and you can change it at any time.

    { $link }

    Recording is possible until { $closes }.

    This link is only for you. Please do not pass it on.
letters-reminder-subject = A reminder to record your name: { $page }
letters-reminder-text =
    Hello { $name },

    Your recording for { $page } is still missing. It takes about a minute, in your browser.

    { $link }

    Recording is possible until { $closes }.

    This link is only for you. Please do not pass it on.
letters-rejection-subject = Please record your name again: { $page }
letters-rejection-text =
    Hello { $name },

    Your recording for { $page } was not accepted. This is the reason:

    { $reason }

    You can record your name again:

    { $link }

    Recording is possible until { $closes }.
letters-request-subject = Somebody would like to hear your name: { $page }
letters-request-text =
    Hello { $name },

    Somebody on { $page } would like to say your name correctly, and there is no recording of it yet. It takes about a minute, in your browser.

    { $link }

    Recording is possible until { $closes }.

    You can switch off requests like this one on your own page, under “Requests for a recording”.
letters-retention-subject = Recordings will be deleted: { $page }
letters-retention-text =
    Hello { $name },

    The recordings of { $page } will be deleted on { $date }, and yours is one of them. You do not need to do anything.

    If you want to keep your recording, you can listen to it and download it until then:

    { $link }
letters-button-record = Record your name
letters-button-page = Open the page
letters-why = { $institution } sends this message with Endonym, so that names are said correctly.
letters-stop = To receive no more such messages, open this link. You will still get the sign-in emails that you ask for.
letters-stop-link = Receive no more such messages
letters-stop-title = Emails about name pages
letters-stop-lead = { $institution } may send messages about name pages to { $email }: invitations, reminders, and what happens to recordings.
letters-stop-what = If you stop them, you will still get the sign-in emails that you ask for. You can change this here at any time.
letters-stop-button = Stop messages
letters-stopped = { $institution } sends no more messages to { $email }. You will still get the sign-in emails that you ask for.
letters-start-lead = Was this a mistake? Then you can receive messages again.
letters-start-button = Receive messages again
letters-stop-unknown-title = This link does not work
letters-stop-unknown = Please check that you have copied the whole link from the message.
letters-page-title = Messages
letters-page-lead = These texts are for all name pages of { $institution }. Each message is in the language of its recipient.
letters-page-kind = Message
letters-page-language = Language
letters-page-show = Show
letters-kind-invitation = Invitation
letters-kind-reminder = Reminder
letters-kind-rejection = Recording not accepted
letters-kind-request = Request for a recording
letters-kind-retention = Recordings will be deleted
letters-page-built-in = This is the text that comes with Endonym.
letters-page-own = This is your own text.
letters-page-unsaved = This text is not saved yet.
letters-page-outdated = Somebody else has changed the text while you were writing, and nothing of yours is saved yet. This is theirs. Save again to replace it.
letters-page-outdated-reset = Somebody else has gone back to the original text while you were writing, and nothing of yours is saved yet. This is the original text. Save again to replace it.
letters-page-not-reset = Somebody else has changed the text since you opened this page, and the original text was not restored. This is theirs. To replace it, choose “Go back to the original text” again.
letters-page-subject = Subject
letters-page-subject-help = It may contain: { $placeholders }
letters-page-text = Text
letters-page-text-help = It may contain: { $placeholders }. The link must be there. A line with a value that is missing is left out. Blank lines separate paragraphs.
letters-page-preview = Show preview
letters-page-reset = Go back to the original text
letters-page-preview-title = Preview
letters-page-test-title = Test message
letters-page-test-lead = The saved text, with made-up contents, goes to { $email }.
letters-page-test = Send me a test message
letters-page-saved = The text is saved.
letters-page-was-reset = The original text is used again.
letters-page-tested = The test message is on its way.
letters-fault-blank = Please enter a text.
letters-fault-long = The text is too long. It can have { $most } characters.
letters-fault-characters = The text contains characters that cannot be sent.
letters-fault-unknown = { $placeholder } is not a placeholder that is filled in here. Please check its spelling and the braces.
letters-fault-missing = The text must contain { $placeholder }.
letters-sample-page = Sample page
letters-sample-reason = The recording is too quiet.
