# Who changed a person's data: a section of their own page.

changes-title = Changes to your entry
changes-hint = Your institution keeps a record of who changes your data. These are the newest changes.
changes-none = Nothing has been changed yet.

changes-act-created = You were registered
changes-act-updated = Your details were changed
changes-act-deleted = Your entry was deleted
changes-act-hidden = You were taken off a page
changes-act-shown = You are back on a page
changes-act-recording = Your recording was saved
changes-act-recording-held = Your recording is waiting for approval
changes-act-recording-deleted = Your recording was deleted
changes-act-photo = Your photo was saved
changes-act-photo-deleted = Your photo was removed
changes-act-consent = You agreed to the text about recordings
changes-act-consent-withdrawn = You withdrew your consent
changes-act-approved = Your recording or entry was approved
changes-act-refused = Your recording or entry was not accepted
changes-act-restored = Your recording or entry was restored
changes-act-settings = Your settings were changed
changes-act-directory-hold = Your directory hold was set or ended
changes-act-role = Your role was changed
changes-act-invitation = Your invitation was changed
changes-act-call = A phone call to you was changed
changes-act-mail = Messages to you were changed
changes-act-copy = A copy of your data was made
changes-act-link = A link to sign in as you was made
changes-act-other = Something else was changed

changes-by-you = You
changes-by-staff = Your institution’s staff
changes-by-member = Your institution’s staff ({ $email })
changes-by-token = A system of your institution ({ $name })
changes-by-system = Automatically
changes-by-named-system = Your learning system ({ $name })
