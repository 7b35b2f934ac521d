# A name page: registering, one's own entry, the poster.

page-date = Date: { $date }
page-lead = Here people record how their names are said, so that everybody gets them right. It takes about a minute.
page-closes = Please record your name before { $time } ({ $zone }).
page-closed = This page closed on { $time } ({ $zone }). Nobody can register or record here anymore.
page-archived = This page is archived. Nothing can be changed here anymore.

page-window = Open this page in its own window
page-own-link = Go to my entry
page-register-link = Register here
page-people-link = Listen to the names
page-known = I am registered already
page-not-permitted = You are signed in as { $email }, and this page is for others. If you have another address, sign out and use that one. Otherwise ask the people who sent you here.
page-who = You are signed in as { $email }.

page-ask-title = Get started
page-ask-lead = Enter your email address. We will send you a message with a code, so that nobody else can register in your name. You do not need a password.
page-ask-later = Too many people are registering at the moment. Please try again in about an hour.
page-ask-invited = This page is for people who were invited. If you are one of them, open the link in your invitation, or enter your email address here. We will send you a message with a code.
page-ask-closed = If you are registered, enter your email address to see your entry. We will send you a message with a code.
page-domains = Please use an address at { $domains }.
page-event-code = Event code
page-event-code-hint = You find it on the poster, or in the message that led you here.
page-event-code-missing = Please enter the event code.
page-event-code-wrong = This is not the event code of this page. Please check it.
page-code-lead = If this address may register on { $page }, or is registered there, a message with a code is on its way. Enter the code here, or open the link in the message. Both work once, for ten minutes.
page-code-none = No message? Look in your spam folder, and check the address.
page-code-again = Enter the address again

page-asked-title = What we ask of you
page-asked-recording = A recording of your name: you can listen to it first, and try again as often as you like
page-asked-name = Your name
page-asked-photo = A photo
page-optional = optional

page-form-title = Your name
page-form-lead = This is shown next to your recording on { $page }.
page-form-send = Continue to the recording
page-first-name = First name
page-last-name = Last name
page-names-hint = If you have only one name, leave the other field empty.
page-name-blank = Please enter your name.

page-done-registered = You are registered. Now record your name.
page-finished = Done. Your name is recorded.
page-finished-lead = Thank you! You can close this page, or record again.
page-held = It is waiting for approval. Until then, only you and the people who run this page can hear it.
page-only = Use the new recording on this page only
page-only-hint = Otherwise it is used on all of your pages.
page-missing = Still missing:
page-me-link = All of my pages, and who may hear me

page-nav = Run this page
page-nav-page = Page
page-nav-people = People
page-nav-invitations = Invitations
page-nav-moderation = Moderation
page-nav-messages = Messages
page-nav-import = Import
page-nav-export = Export
page-nav-poster = Poster

page-poster-how = Choose your paper, and print this page with your browser. Only the poster is printed.
page-poster-a4 = A4
page-poster-letter = Letter
page-poster-download = Download the QR code
page-poster-call = Record how your name is said
page-poster-scan = Scan the code with your phone, or go to:
page-poster-qr = QR code that leads to this name page
