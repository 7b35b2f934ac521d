# Moderation of a name page: the queue of its managers, and what owners read about their recordings.

moderation-title = Moderation
moderation-lead = New recordings, and new entries of people for whom nobody vouches, wait here for your approval. Until then, only you and the people themselves hear and see them.
moderation-lead-off = New recordings on this page can be heard at once. What listeners report arrives here.
moderation-lists = Cases
moderation-open = To decide
moderation-decided = Decided in the last 30 days
moderation-none = There is nothing to decide.
moderation-none-decided = Nothing was decided in the last 30 days.
moderation-keys = With the keyboard: Tab to a recording, then the arrow keys to go to the next or the previous one, Space to play it, A to approve it, R to write a reason, and D to dismiss a report.
moderation-play = Play the recording of { $name }
moderation-held = Waiting for approval since { $date }
moderation-wrong-person = Reported: this is the name of another person
moderation-offensive = Reported: offensive
moderation-unintelligible = Reported: cannot be understood
moderation-reports =
    { $count ->
        [one] One report
       *[other] { $count } reports
    }
moderation-approve = Approve
moderation-reject = Reject
moderation-remove = Remove
moderation-reason = Reason
moderation-reason-hint = The person receives your reason, with a link to record again.
moderation-reject-now = Reject the recording
moderation-remove-now = Remove the recording
moderation-dismiss = Dismiss the report
moderation-restore = Restore
moderation-state-approved = Approved by { $by } on { $date }
moderation-state-rejected = Rejected by { $by } on { $date }
moderation-state-removed = Removed by { $by } on { $date }
moderation-state-dismissed = Dismissed by { $by } on { $date }
moderation-state-restored = Restored by { $by } on { $date }
moderation-until = Can be restored until { $date }
moderation-more = More
moderation-done-approved = The recording can be heard now.
moderation-done-rejected = The recording is rejected, and its owner learns the reason.
moderation-done-removed = The recording is removed, and its owner learns the reason.
moderation-done-dismissed = The report is dismissed.
moderation-done-restored = The recording can be heard again.
moderation-done-decided = Somebody else has decided about this in the meantime. Nothing was changed.
moderation-done-newer = There is a newer recording, so nothing was changed. Please listen to the newer one first.
moderation-gone = This recording no longer exists. Its owner may have deleted it.
moderation-fault-reason = Please write a reason. The person receives it.
moderation-own-held = Your recording is waiting for approval. Until then, only you and those who manage this page can hear it.
moderation-own-held-earlier = Your new recording is waiting for approval. Until then, others hear the earlier one.
moderation-own-refused = Your recording was not accepted. Please record your name again. The reason:
moderation-photo = Picture of { $name }
moderation-entry = This is about the whole entry: name, spelling, details and picture.
moderation-silenced = This person has paused their recordings or withdrawn their consent, so nobody else hears this one, and it cannot be approved.
moderation-reject-entry-now = Reject the entry
moderation-remove-entry-now = Remove the entry
moderation-entry-reason-hint = The person receives your reason, with a link to change the entry.
moderation-done-entry-shown = Others can see the entry now.
moderation-done-entry-refused = Others do not see the entry, and its owner learns the reason.
moderation-done-entry-newer = The entry has changed in the meantime, so nothing was decided. Please look at it again first.
moderation-done-silenced = The person has paused the recording or withdrawn their consent. Nothing was changed.
moderation-own-entry-held = Your entry is waiting for approval. Until then, only you and those who manage this page see it.
moderation-own-entry-refused = Your entry was not accepted. Please change it. The reason:
