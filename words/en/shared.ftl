# Layouts, navigation, buttons and faults that several areas use.

shared-skip = Skip to content
shared-language = Language
shared-sign-out = Sign out
shared-save = Save
shared-continue = Continue
shared-blank = Please fill this in.
shared-cannot-play = This recording cannot be played right now. Please try again in a moment.
shared-trouble-title = Something went wrong
shared-trouble = This is our fault. Please try again in a moment.
shared-nothing-title = There is nothing here
shared-nothing = The page that you are looking for does not exist.
shared-unreadable-title = That did not work
shared-unreadable = Your browser sent something that we could not read. Please go back and try again.
shared-busy = The server is busy. Please try again in a moment.
shared-form-expired-title = Please send this again
shared-form-expired = This page was open for too long, or was sent from another site. Go back, reload the page and send it again.
