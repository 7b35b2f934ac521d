# The console: members and audit.

console-members-lead = Members run the institution’s name pages or listen to them. They sign in like everybody else.
console-members-add = Add a member
console-members-owners-only = Only owners can add, change and remove members.
console-members-none = Nobody has a role yet. Add yourself first, as an owner.
console-members-email = Email address
console-members-email-hint = The person signs in with this address.
console-members-email-fault = This is not an email address that can be used. Please check it.
console-members-known = This person is a member already. You can change the role in the list.
console-members-role = Role
console-members-since = Since
console-members-act = Actions
console-members-change = Change
console-members-change-title = Change a member
console-members-you = You
console-members-only-owner = the only owner
console-members-first = To the beginning
console-members-back = Back to the members
console-members-owner = Owner
console-members-owner-hint = May do everything, on all pages.
console-members-admin = Admin
console-members-admin-hint = May do everything except change members, set up single sign-on and directories, set how long the audit log is kept, and delete the institution.
console-members-manager = Manager
console-members-manager-hint = Runs the chosen pages: people, invitations, moderation, exports.
console-members-reader = Reader
console-members-reader-hint = Listens to the names on the chosen pages, and nothing else.
console-members-all-pages = All
console-members-no-pages = None
console-members-more-pages = { $count ->
    [one] and 1 more
   *[other] and { $count } more
}
console-members-pages-now = { $count ->
    [one] 1 name page
   *[other] { $count } name pages
}
console-members-pages-hint = For managers and readers. Owners and admins have all pages.
console-members-pages-many = That is too many pages (the limit is { $most }). Make the person an admin instead.
console-members-page-unknown = One of these pages no longer exists, or its code is mistyped.
console-members-more = Other pages
console-members-more-hint = Only the newest pages are shown here. Name older ones by their code or short name, separated by commas.
console-members-last-owner = Your institution needs an owner. Make somebody else an owner first.
console-members-added = The member is added, and can sign in here: { $address }
console-members-changed = Saved. It applies at once.
console-members-removed = The role has ended.
console-members-remove = Remove this member
console-members-remove-lead = The role ends at once. What this person has recorded for themselves is kept.
console-members-tokens = Access tokens that this person made
console-members-tokens-lead = This person knows them, and they go on working. What should happen to them?
console-members-tokens-keep = Keep them
console-members-tokens-keep-hint = Programs go on working. Replace each of these tokens afterwards, so that nobody who has left knows it.
console-members-tokens-revoke = Revoke them
console-members-tokens-revoke-hint = Programs that use them stop working within a second.
console-members-tokens-fault = Please choose what should happen to the access tokens.
console-members-groups = Roles by group
console-members-groups-lead = Everybody in a group of your single sign-on gets its role at the next sign-in, and loses it after leaving the group. Of several groups, the highest role counts. Roles that were given by hand stay.
console-members-groups-none = Set up single sign-on first.
console-members-groups-empty = No group has a role yet.
console-members-group = Group
console-members-group-hint = Exactly as your provider writes it. Microsoft Entra writes the object ID of the group.
console-members-group-add = Save the role of the group
console-members-group-remove = Remove
console-members-group-pages-hint = For managers and readers: the codes or short names of pages, separated by commas.
console-members-claim = Name of the claim with the groups
console-members-claim-hint = Most providers use: groups
console-members-by-group = by group

console-audit-lead = Every change is written down here: who made it, when, and what it was before.
console-audit-search = Search in everything
console-audit-act = What
console-audit-any = Anything
console-audit-who = Who
console-audit-person = Whose data
console-audit-from = From day
console-audit-to = To day
console-audit-day-fault = This is not a date. It should look like 2026-07-01.
console-audit-clear = Show everything
console-audit-about-one = Only changes to this:
console-audit-none = Nothing was found. Try fewer words, or other days.
console-audit-go-on = Nothing so far. Go on to older entries to search further.
console-audit-when = When
console-audit-subject = Item
console-audit-fields = Changed fields
console-audit-origin = Network
console-audit-newest = Newest
console-audit-older = Older
console-audit-export = Export
console-audit-export-lead = All entries that the search finds, with their old and new values. The file contains personal data.
console-audit-csv = As a table (CSV)
console-audit-json = For programs (JSON lines)
console-audit-retention = How long it is kept
console-audit-kept = { $days ->
    [one] Entries are deleted after 1 day.
   *[other] Entries are deleted after { $days } days.
}
console-audit-kept-forever = Entries are never deleted.
console-audit-keep = Keep entries
console-audit-keep-days = For some time
console-audit-days = Days
console-audit-days-fault = Please enter a number of days from 1 to 36500.
console-audit-keep-forever = Forever
console-audit-owners-only = Only owners can change this.
console-audit-entry = One change
console-audit-back = Back to the audit log
console-audit-no-values = No values were changed.
console-audit-field = Field
console-audit-before = Before
console-audit-after = After
console-audit-by-token = access token
console-audit-by-operator = operator of the server
console-audit-by-member = member
console-audit-by-person = the person
console-audit-by-lti = the person, in a learning system
console-audit-by-phone = the person, by phone
console-audit-by-scim = directory
console-audit-by-system = automatically
