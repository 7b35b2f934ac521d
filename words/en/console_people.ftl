# The console: people.

console-people-search = Name, email or ID
console-people-search-send = Show
console-people-reset = Show everybody
console-people-filters = Filters
console-people-page = Name page
console-people-any = Any
console-people-field = Custom field
console-people-value = Value of the field
console-people-sort = Order
console-people-sort-name = By name
console-people-sort-changed = Newest change first
console-people-sort-recorded = Newest recording first (recorded only)
console-people-recorded = Recorded
console-people-unrecorded = Not recorded
console-people-waiting = Waiting for approval
console-people-paused = Paused
console-people-invited-yes = Invited
console-people-invited-no = Not invited
console-people-phone-yes = With a number
console-people-phone-no = Without a number
console-people-count =
    { $count ->
        [one] { $count } person
       *[other] { $count } people
    }
console-people-cut-walked = Number of people looked at so far: { $count }. The next part goes on from there.
console-people-cut-found = Too many people match; only some are shown (limit: { $count }). Type more of the name to find others.
console-people-building = The search is being brought up to date. Some people may be missing for a few minutes.
console-people-nobody-found = Nobody matches. Try fewer letters or another filter.
console-people-nobody = There is nobody yet. First create a name page, then import a file or invite people there.
console-people-to-pages = Name pages
console-people-name = Name
console-people-without-name = Without a name
console-people-changed = Last change
console-people-selected = Selected
console-people-select = Select { $name }
console-people-select-all = Select everybody on this part of the list
console-people-with-selected = With the selected people
console-people-everybody = Everybody who matches, not only the selected people
console-people-first = First part
console-people-next = Next part
console-people-undo = Undo
console-people-cancel = Cancel
console-people-choose = Please choose
console-people-invite = Invite
console-people-invite-lead = They get a message with a personal link. Whoever has recorded, wants no mail or has a valid invitation is left out.
console-people-remind = Remind
console-people-remind-lead = Whoever was invited by mail and has not recorded gets a reminder: at most three in total, and at least a day after the last message.
console-people-move = Move to another name page
console-people-move-lead = Recordings and links stay as they are. People of a course stay where the learning system has put them.
console-people-move-choose = Please choose a name page.
console-people-tag = Set a custom field
console-people-tag-choose = Please choose a custom field.
console-people-tag-hint = Leave it empty to clear the field.
console-people-merge = Merge two entries of one person
console-people-merge-two = Go back and select exactly two people to merge.
console-people-delete-many = Delete people
console-people-delete-lead =
    { $days ->
        [one] They disappear from all lists, and their links stop working. You can undo this for { $days } day.
       *[other] They disappear from all lists, and their links stop working. You can undo this for { $days } days.
    }
console-people-delete-number = To confirm, type the number of people: { $count }
console-people-delete-wrong = This is not the number of people.
console-people-bulk-count =
    { $count ->
        [one] This concerns { $count } person.
       *[other] This concerns { $count } people.
    }
console-people-bulk-cut = More people match than can be done at once. Repeat this for the others afterwards.
console-people-bulk-nobody = Nobody is selected. Go back and select people first.
console-people-bulk-no-mail = No mail server is set up here. On a name page, you can hand out personal links under “Invitations”.
console-people-task-progress = Done: { $done } of { $total }
console-people-task-done = Finished.
console-people-task-failed = This could not be finished. Whoever had their turn is done, and the others are as they were.
console-people-outcome-done = Done
console-people-outcome-unchanged = Nothing to do
console-people-outcome-gone = No longer there
console-people-outcome-taken = Somebody with the same email or ID is already there
console-people-outcome-without-email = No email
console-people-outcome-recorded = Has recorded already
console-people-outcome-unreachable = Wants no mail, or the address does not work
console-people-outcome-not-invited = Was not invited by mail
console-people-outcome-just-written = Was written to recently, or has had all reminders
console-people-outcome-in-course = Belongs to a course
console-people-outcome-closed = The name page is closed or archived
console-people-edit = Edit entry
console-people-badge = Name badge
console-people-listen = Listening page
console-people-delete = Delete entry
console-people-delete-title = Delete { $name }?
console-people-audience-institution = People at the institution
console-people-recording = Recording
console-people-recordings = Recordings
console-people-legal-recording = Recording of the legal name
console-people-removed = Not accepted
console-people-paused-lead = The person has paused their recordings, so nobody can hear them.
console-people-hold = Directory hold
console-people-hold-lead = The public is told nothing about this person. Only those who run this page, or listen or teach here, hear the name, signed in.
console-people-hold-hint = For people who asked to be kept out of directories (FERPA). It applies to all name pages of the person.
console-people-hold-yes = Yes: tell the public nothing
console-people-hold-no = No
console-people-hold-elsewhere = Only an owner or an admin can end this: the person is on other name pages, too.
console-people-no-recording = There is no recording yet.
console-people-record = Record or upload
console-people-record-lead = Only do this for somebody who has agreed to it. It replaces the current recording.
console-people-record-ready = Press the button, and say the name.
console-people-photo = A picture of the person
console-people-photo-send = Upload the picture
console-people-calls = Calls
console-people-no-calls = There were no calls.
console-people-call = Call this person
console-people-called-soon = This person will be called soon.
console-people-call-scheduled = Scheduled
console-people-call-active = In progress
console-people-call-no-answer = No answer
console-people-call-busy = Busy
console-people-call-failed = Failed
console-people-call-canceled = Canceled
console-people-no-messages = There are no messages.
console-people-to-invitations = Invitations of this name page
console-people-mail-sign-in = Sign-in email
console-people-mail-queued = Waiting to be sent
console-people-mail-sent = Sent
console-people-mail-failed = Rejected by the mail server
console-people-mail-unconfirmed = Perhaps sent
console-people-mail-expired = Not sent in time
console-people-others = Other entries of this person
console-people-history = History
console-people-no-history = The audit log has nothing about this entry.
console-people-all-changes = All changes to this person’s data
console-people-merge-with = Merge with this entry
console-people-done-saved = The entry is saved.
console-people-done-recorded = The file is saved.
console-people-done-called = The call is scheduled.
console-people-done-merged = The two entries are merged.
console-people-done-restored = The entry is restored.
console-people-done-deleted = The entry is deleted.
console-people-edit-fixed = The email and the ID identify the entry, and cannot be changed here.
console-people-edit-course = A learning system provides the names of this person, and may change them again.
console-people-edit-changed = Somebody else has changed this entry in the meantime. What you typed is still here; the fields that differ say what is there now. Save again to replace it.
console-people-edit-theirs = Stored now: { $value }
console-people-deleted = Recently deleted
console-people-deleted-none =
    { $days ->
        [one] Nobody was deleted in the last { $days } day.
       *[other] Nobody was deleted in the last { $days } days.
    }
console-people-deleted-by = Deleted by
console-people-purged-on = Deleted for good on
console-people-restore = Restore
console-people-restore-taken = Meanwhile, somebody with the same email or ID was added. Delete that entry first.
console-people-merge-lead = The kept entry takes what it lacks from the other one. Then the other one is deleted for good.
console-people-merge-field = Field
console-people-merge-kept = Kept entry
console-people-merge-other = Other entry
console-people-merge-result = Result
console-people-merge-send = Merge
console-people-merge-swap = Keep the other entry instead
console-people-merge-email = The two entries have different emails. This one is given up: { $email }
console-people-merge-changed = One of the entries has changed in the meantime. Please check again.
console-people-merge-course = A learning system needs the other entry, because it belongs to a course. Keep that one instead.
console-people-refused = Disabled by a directory
console-people-refused-about = A directory has disabled or deleted these people. They cannot come back with an invitation or by registering, until the directory enables them, or you let them in.
console-people-refused-none = Nobody is disabled.
console-people-refused-since = Since
console-people-readmit = Let in again
console-people-readmitted = They can be invited again. Send them a new invitation.
console-people-merge-admin = These entries have different emails, so they may be two people. Only an owner or an admin can merge them.
console-people-merge-paused = The person with the other entry has paused their recordings or withdrawn their consent, and has another email. The two entries cannot be merged.
console-messages-notice = Notice about changed data
