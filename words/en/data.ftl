# Consent, search engines, a copy of everything, deleting everything, and the owner's link on a badge.

data-title = Your data

data-consent-title = Before you record
data-consent-purpose = { $institution } keeps a recording of your name, so that others can hear how to say it.
data-consent-choice = You decide who may hear it. You can replace or delete it at any time, and withdraw your agreement.
data-consent-never = Your voice is used for nothing else. It is never used for voice prints, which recognize people by their voice, and never to train software.
data-consent-agree = I agree
data-consent-done = Thank you. You can record your name now.
data-consent-needed = Please agree to the text about recordings first. Open this page again in another tab, agree there, and then send your recording from here.
data-consent-section = Your agreement
data-consent-since = You agreed on { $date } to have your name recorded.
data-consent-read = Read what you agreed to
data-consent-withdraw = Withdraw my agreement
data-consent-withdraw-explained = Choose what happens to your recordings. Calls that you are waiting for are canceled. To record your name again, you only have to agree again.
data-consent-withdraw-pause = Withdraw, and keep my recordings so that nobody can hear them
data-consent-withdraw-delete = Withdraw, and delete my recordings
data-consent-withdrawn = You have withdrawn your agreement.

data-search-title = Search engines
data-search-label = Search engines may show my name
data-search-hint = This works only while anyone with the link may hear your name. Otherwise we ask search engines to leave out your page.

data-copy = Download a copy of everything
data-copy-hint = A ZIP file with your recordings and pictures, and with everything else that is stored about you.

data-sign-out-everywhere = Sign out on all devices

data-delete = Delete everything
data-delete-title = Delete everything about you?
data-delete-lead = This cannot be undone. At { $institution }, this will be deleted:
data-delete-pages = Your name on these pages:
data-delete-recordings = Your recordings and pictures, with all links to them
data-delete-rest = Your phone number, calls, settings, agreements and sign-ins
data-delete-courses = If you are still in a course, your name can come back when the course is synchronized, but without anything that you delete now.
data-delete-elsewhere = What your institution keeps in other systems is not deleted. Older backups still have your data until they are deleted, too.
data-delete-now = Delete everything about me
data-deleted-title = Everything is deleted
data-deleted = Nothing about you is stored here anymore, and you are signed out everywhere.
data-deleting-title = Your data is being deleted
data-deleting = Your name is deleted here, and you are signed out everywhere. Some files with your data, for example the recording of a call, are still being deleted. You do not have to do anything.

data-handed-over-title = This device can only record
data-handed-over = You came here by scanning a code, which is enough to record your name. To do this, sign in with your email.

data-badge-mine = This is me: change it
