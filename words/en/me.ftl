# A person's own page.

me-title = Your name
me-back = Back to your name
me-gone-title = You are signed out
me-gone = Your institution no longer has an entry for you here. If that is a mistake, please contact your institution.

me-recording-title = Your recording
me-recording-play = Your recording on { $page }
me-recording-none = Others cannot hear your name yet.
me-recording-paused = Your recording is kept, and nobody can hear it for now.
me-recording-only-here = You recorded it for this page only.
me-recording-delete = Delete my recording
me-recording-delete-explained = Your recording is removed from all of your pages, and its links stop working. This cannot be undone. You can record your name again at any time.
me-recording-delete-now = Delete it everywhere
me-recording-delete-page = Delete the recording for { $page }
me-recording-delete-page-explained = This recording is removed from this page, and its link stops working. This cannot be undone.
me-recording-delete-page-now = Delete it from this page
me-record-for = Record for
me-record-for-all = All of my pages
me-record-for-one = Only { $page }

me-audience-heading = Privacy
me-directory-hold = Your institution has set a directory hold for you: it tells the public nothing about you. Your name badge is closed, and you are not on public name pages, whatever you choose below. Only those who teach or run one of your name pages can hear your name, after signing in. To end the hold, ask your institution.
me-audience-title = Who may hear it
me-audience-public = Anyone with the link
me-audience-public-hint = Everyone who has the link to your name can listen.
me-audience-institution = My institution
me-audience-institution-hint = People at your institution can listen, in its own systems or after they sign in.
me-audience-paused = Nobody for now
me-audience-paused-hint = Your recording is kept, but no link to it works until you choose something else.

me-details-title = In writing
me-phonetic = Phonetic spelling
me-phonetic-hint = Write your name the way it sounds, for example shi-VAWN.
me-phonetic-guide-title = How to write a name the way it sounds
me-phonetic-guide = Write it so that somebody who has never seen your name reads it right.
me-phonetic-guide-syllables = Put a dash between the syllables: shi-vawn.
me-phonetic-guide-stress = Use capital letters for the part that you stress: shi-VAWN.
me-phonetic-guide-rhyme = If a sound is hard to write, name a word that rhymes: “rhymes with lawn”.
me-notes = Notes
me-notes-hint = Anything else that others should know about your name.

me-call-lead = You get an automated call, and say your name on the phone.
me-call-soon = You will be called soon. You can enter another number.
me-call-send = Call me
me-phone-number = Phone number
me-phone-number-hint = With the country code, like +12025550123.

me-done-recording = Your recording is saved.
me-done-deleted = Your recording is deleted.
me-done-audience = Your choice is saved.
me-done-details = Your changes are saved.
me-done-call = You will be called soon.

me-fault-long = This is too long. Please use at most { $most } characters.
me-fault-characters = This has characters in it that cannot be used here.
me-fault-phone-blank = Please enter a phone number.
me-fault-phone = This is not a phone number that we can use. It should look like +12025550123.
me-fault-not-callable = We cannot call this number. Please try another number, or record your name here.
me-fault-too-many-calls = You were called too often today. Please try again tomorrow, or record your name here.
me-fault-audience = Your institution does not offer this choice. Please choose another one.
me-fault-page = You are not on this page anymore. Please reload, and choose another one.
me-kept-title = Your recordings that were replaced
me-kept-about = Somebody else has replaced recordings that you made. Nobody hears yours until you put them back.
me-kept-replaced = Replaced: { $time }.
me-kept-until = Kept until { $time }.
me-kept-put-back = Put my recording back
me-kept-done = Your recording is back.
