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
mail-merged-subject = Two entries were merged: { $institution }
mail-merged-own = Your entry for { $page } was merged with an entry that had another email address. It may have taken over a recording from it.
mail-merged-other = Your entry for { $page } was merged into an entry with another email address. What it had, such as your recording, may now belong to that address, and you cannot change it with this one.
mail-merged-then = If these entries are not of the same person, tell { $institution } at once.
