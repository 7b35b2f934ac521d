# Pages inside learning systems.

lti-course-title = { $course }: names and how they are said
lti-own-title = { $name }: how it is said
lti-time = { $day } { $month ->
        [1] January
        [2] February
        [3] March
        [4] April
        [5] May
        [6] June
        [7] July
        [8] August
        [9] September
        [10] October
        [11] November
       *[12] December
    } { $year }, { $time } { $zone }

# The course, for those who teach. why is a message of the learning system or of the server, in English.
lti-sync-fetching = The list is being fetched from your learning system.
lti-sync-running = Being synchronized now. The list is as of { $time }.
lti-sync-done = Synchronized with your learning system on { $time }.
lti-sync-none = Not synchronized with your learning system yet.
lti-sync-fetch-failed = The list could not be fetched: { $why }.
lti-sync-failed = The list is as of { $time }. The last attempt to synchronize it did not work: { $why }.
lti-sync-ended = The synchronization has ended.
lti-sync-show = Show the new list
lti-sync-again = Look again
lti-sync-now = Synchronize now
lti-note = Not everything came along from your learning system. Its administrator, or the operator of this site, can see why.
lti-own-why = Your students can hear how your own name is said.
lti-own-add = Add your own name
lti-own-change = Change your own entry
lti-own-link = Your own name
lti-find = Find a name
lti-find-send = Find
lti-shown = Which people are shown
lti-everybody = Everybody
lti-unrecorded = Not recorded yet
lti-first = This takes a moment. The names appear here by themselves.
lti-found = { $count } found.
lti-found-nobody = Nobody here is called { $search }.
lti-show-everybody = Show everybody
lti-all-recorded = Everybody has recorded their name.
lti-nobody = There is nobody in this course yet.
lti-pages = Pages
lti-page = Page { $page } of { $pages }
lti-back = Previous
lti-next = Next
lti-staff = Teaching this course

# One's own entry.
lti-play-own = Play your recording
lti-only-here = Only for this course
lti-only-here-hint = Without this, your recording is used in all of your courses.
lti-is-only-here = You recorded it for this course only.
lti-called = You will be called soon. Say your name when you are asked to.
lti-called-at = You will be called at { $number }. Say your name when you are asked to.
lti-saved = Saved.
lti-delete-explained = Your recording is removed from this course, and its link stops working. This cannot be undone. You can record your name again at any time.
lti-withdraw-explained = Your recording is deleted, and a call that you are waiting for is canceled. To record your name again, you only have to agree again.
lti-own-page = Your own page: who may hear it, photo, and everything else
lti-own-page-hint = It opens in a new tab. You may have to sign in there.
lti-another-number = Another phone number
lti-signed-out = Your session is over: open this page again from your course, in another tab, and record your name there. Until then, your recording stays here.

# Adding a link to a course.
lti-link-title = Add a link to your course
lti-link-lead = Teachers find everybody’s name there, with its recording. Students find their own name, to record it.
lti-link-label = Title of the link
lti-link-default = Names and how they are said
lti-link-add = Add
lti-link-cancel = Cancel
lti-return-title = Back to your course
lti-return-link = The link is handed to your learning system.
lti-return-none = Nothing is added to your course.
lti-return-press = If nothing happens, press the button.

# Registration of a learning system, for its administrator.
lti-register-link-title = Give this link to your learning system
lti-register-link = This link is for your learning system: paste it where a new LTI tool is registered, as its registration URL.
lti-register-link-where = In Moodle that is Site administration, Plugins, External tool, Manage tools. In others, look for dynamic registration.
lti-registered-title = Registered
lti-registered = { $name } is registered, under the ID { $id }.
lti-registered-activate = It may have to be activated in your learning system before it can be used.
lti-registered-unconfirmed = Nobody can come in until the operator of this site has confirmed it with { $command }.
lti-updated-title = Updated
lti-updated = { $name } is up to date, under the ID { $id }.
lti-updated-kept = Everything that was set up here stays as it was.
lti-no-deployment = Your learning system did not send its deployment ID. The operator of this site adds it with { $command } and the ID that your learning system shows.

# What somebody can do.
lti-reopen = Please open it again from your course.
lti-contact = If that does not help, please tell the administrator of your learning system.
lti-tell = Please tell the administrator of your learning system.
lti-go-back = You can go back to your course.

# Refusals.
lti-too-large = What was sent is too large.
lti-too-slow = What was sent took too long to arrive.
lti-incomplete-title = Nothing to open
lti-incomplete = This address is for learning systems, and some of what they send is missing.
lti-unknown-platform-title = This learning system is not known here
lti-unknown-platform = It has not been registered, or its issuer and client ID are not those that were registered. Or it uses another address of this site than the one that it was told.
lti-disabled-title = This connection is switched off
lti-disabled = The connection between your learning system and this site has been switched off.
lti-unconfirmed-title = This connection is not confirmed yet
lti-unconfirmed = It is not certain yet that the learning system is the one that it says. Until that is confirmed, nobody can come in.
lti-foreign-title = This link leads elsewhere
lti-foreign = The link in your course leads to an address that does not belong to this site.
lti-used-title = This has been opened already
lti-used = Each opening from your course works once, and only for a few minutes.
lti-browser-title = Your browser keeps this page from working here
lti-browser = It does not let this site keep a cookie inside the page of your learning system, so we cannot tell whether it is really you who opened it.
lti-browser-window = It works in a window of its own.
lti-platform-title = Your learning system did not let you in
lti-platform = It said: { $said }
lti-no-keys-title = Your learning system cannot be reached just now
lti-no-keys = Its public keys, which verify its messages, cannot be fetched.
lti-deployment-title = This deployment is not known here
lti-deployment = Your learning system calls it { $deployment }.
lti-deployment-add = The operator of this site can add it with { $command }.
lti-no-links-title = No link can be added here
lti-no-links = Your learning system asks for something other than a link.
lti-untrusted-title = This page cannot be opened
lti-untrusted = What your learning system sent is not as it should be, so we cannot trust it.
lti-no-course-title = This is not a course
lti-no-course = The pages here belong to courses, and the link was opened outside of one.
lti-no-part-title = There is nothing for you to do here
lti-no-part = These pages are for those who teach in a course and for those who learn in it.
lti-preview-title = You are looking at this as a student
lti-preview = Students of this course find their own name here, to hear it, to write how it is said and to record it.
lti-preview-unlisted = You are not added to the list of students.
lti-anonymous-title = Your learning system does not say who you are
lti-anonymous = Without that, your own name cannot be shown.
lti-closed-title = This page is closed
lti-closed = It was open for several hours, or was opened in another browser.
lti-invite-title = This invitation cannot be used
lti-invite = Learning systems register with a link that works once, for seven days. The operator of this site makes one with { $command }.
lti-registration-title = The registration did not work
lti-registration = Why: { $why }.
lti-registration-again = The link can be used again.
lti-too-many-title = Too many at once
lti-too-many = More pages were opened from your network than can be opened at once. Please try again in a minute.
