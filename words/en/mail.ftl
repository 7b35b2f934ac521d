# Mails. The subject names the institution last, because its name may be in another script.

mail-sign-in-subject = Your code to sign in: { $institution }
mail-sign-in-title = Sign in
mail-sign-in-code = Enter this code on the page where you asked for it:
mail-sign-in-link = Or open this link, on this or another device:
mail-sign-in-button = Continue to sign in
mail-sign-in-once = The code and the link work once, for ten minutes.
mail-sign-in-why = Somebody asked to sign in with the address { $email }.
mail-sign-in-ignore = If that was not you, ignore this message. Nobody can sign in without the code or the link, so do not pass them on.
mail-test-subject = Test message
mail-test-title = Mail works
mail-test-body = This is a test message from Endonym. If you can read it, this installation can send mail.
mail-address-subject = Your address was changed: { $institution }
mail-address-what = { $institution } has changed the address of your entry from { $old } to { $new }. The entry with its recordings, and the page for changing them, belong to the new address now.
mail-address-then = If you did not expect this, ask { $institution } at once. With the new address, you see your entry here:
mail-replaced-subject = Your recording was replaced: { $institution }
mail-replaced-what = Somebody else has replaced the recording of your name that you made, on the page { $page } of { $institution }.
mail-replaced-then = Your own recording is kept until { $date }. You put it back with one press on your page:
mail-merged-subject = Two entries were merged: { $institution }
mail-merged-own = Your entry for { $page } was merged with an entry that had another email address. It may have taken over a recording from it.
mail-merged-other = Your entry for { $page } was merged into an entry with another email address. What it had, such as your recording, may now belong to that address, and you cannot change it with this one.
mail-merged-then = If these entries are not of the same person, tell { $institution } at once.
