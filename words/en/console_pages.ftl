# The console: name pages, moderation and custom fields.

console-pages-search = Search by title or address
console-pages-state = State
console-pages-any = Open and closed
console-pages-show = Show
console-pages-new = New name page
console-pages-none = There are no name pages yet. Create the first one, then invite people to it.
console-pages-none-found = No name page matches.
console-pages-none-given = You have not been given any name pages yet. An owner of your institution can give you some.
console-pages-more = Older name pages
console-pages-start = Back to the newest

console-page-title = Title
console-page-title-hint = For example “Class of 2027”.
console-page-date = Date
console-page-date-hint = The day of the ceremony, or of the first lecture. It may be empty.
console-page-people = People
console-page-recorded = Recorded
console-page-invited = Invited
console-page-open = Open
console-page-closed = Closed
console-page-archived = Archived
console-page-slug = Address
console-page-slug-hint = The end of the page’s address: lower-case letters, digits and hyphens. If it is empty, it is made from the title.
console-page-access-code = Access code
console-page-access-code-hint = For programs that use old versions of the API. If it is empty, one is made.
console-page-create = Create the name page
console-page-created = The name page is created. Now check its settings, and invite people.
console-page-saved = The settings are saved.
console-page-copied = This is the copy. Check its date and its closing time.
console-page-copied-people = This is the copy. Its people follow within a few minutes. Check its date and its closing time.
console-page-was-archived = The name page is archived.
console-page-was-restored = The name page is no longer archived.
console-page-deleted = The name page is deleted.
console-page-print = Print the names
console-page-archived-note = This page is archived. Its settings can be changed after you restore it.
console-page-basics = About the page
console-page-description = Description
console-page-description-hint = What visitors read about the page.
console-page-registering = Registering
console-page-register = Who may register

console-register-invited = People who are invited
console-register-domain = People with an email address at one of the domains below
console-register-code = People who know the event code
console-register-open = Anybody

console-page-domains = Domains
console-page-domains-hint = One on each line, like example.edu, or *.example.edu for its subdomains.
console-page-closes = Closing time
console-page-closes-hint = From then on, nobody can register or record. In the time zone { $zone }. It may be empty.
console-page-asked = What people are asked for

console-asked-name = Name
console-asked-pronouns = Pronouns
console-asked-off = Not asked for
console-asked-optional = Optional
console-asked-required = Required
console-asked-default = As the custom field says

console-page-listening = Listening
console-page-listen = Who may listen

console-listen-managers = Only managers and readers of the page
console-listen-registered = Also people who are registered on it
console-listen-institution = Also people of the institution who have signed in
console-listen-link = Anybody with the link

console-page-moderation = New recordings

console-moderation-off = Can be heard at once
console-moderation-hold = Wait until a manager has approved them

console-page-recordings = Recordings
console-page-take = Longest recording, in seconds
console-page-take-hint = If it is empty, the limit of this installation applies.
console-page-days = Delete recordings this many days after the date
console-page-days-hint = People are told 14 days before. If it is empty, recordings are kept.
console-page-deletes = Recordings are deleted on { $date }.
console-page-api = API version 2
console-page-v2 = Answer programs that know the access code
console-page-v2-hint = Anybody who knows the code can then read the names, email addresses and recordings of everybody on this page, without a token. Treat the code as a password.
console-page-acts = Copy, archive, delete
console-page-archive = Archive
console-page-restore = Restore
console-page-archive-hint = An archived page takes no registrations and recordings, sends no reminders, and can be restored at any time.
console-page-copy = Copy the name page
console-page-copy-lead = The copy has the same settings and texts, asks for the same fields, and has the same managers. It has codes of its own.
console-page-copy-people = Copy the people, too
console-page-copy-people-hint = Everybody who has an email address, without recordings and photos. Nobody is written to or called.
console-page-copy-now = Make the copy
console-page-delete = Delete the name page
console-page-delete-lead = This deletes the page with everything on it. It cannot be undone. If you only want to end it, archive it.
console-page-delete-people = People who are deleted with it: { $count }
console-page-delete-recordings = Recordings that are deleted with it: { $count }
console-page-delete-now = Delete it for good

console-moderation-lead = What waits for approval and what listeners report, on all name pages that you manage.

console-fields-lead = Custom fields are what your institution asks of people besides their names. Programs read and write them through the API as plain text, whatever their kind.
console-fields-none = There are no custom fields yet. Create the first one below, for example for pronouns or a degree.
console-fields-new = New custom field

console-field-label = Label
console-field-label-hint = What people read, for example “Pronouns”.
console-field-name = Name
console-field-name-hint = What programs use: lower-case letters, digits and underscores, like gender_pronouns. It cannot be changed later.
console-field-import-key = Key in imports and requests
console-field-kind = Kind

console-kind-text = Text
console-kind-long-text = Long text
console-kind-choice = One choice
console-kind-choices = Several choices
console-kind-yes-no = Yes or no

console-field-options = What can be chosen
console-field-options-hint = For choices only: one on each line, without semicolons. Values that people have stay when you change this.
console-field-edited-by = Who may change it

console-edited-by-person = The person themselves
console-edited-by-staff = Staff only. Where a page asks for it, people answer once.

console-field-asked = On all name pages
console-field-on-badge = Show on name badges
console-field-on-badge-hint = Anyone who has the link to a badge can read it. Pronouns are always shown.
console-field-order = Order
console-field-up = Move { $field } up
console-field-down = Move { $field } down
console-field-create = Create the custom field
console-field-created = The custom field is created.
console-field-saved = The custom field is saved.
console-field-deleted = The custom field is deleted.
console-field-pages = Name pages with a setting of their own
console-field-pages-lead = These pages say themselves whether they ask for this field. All others do what is chosen above.
console-field-pages-none = No name page has a setting of its own for this field.
console-field-page = Name page
console-field-page-hint = The end of its address, or its event code.
console-field-how = How this page asks for it
console-field-delete = Delete the custom field
console-field-delete-lead = This deletes the field with all its values, on pages and in the API. It cannot be undone.
console-field-values = People who have a value: { $count }
console-field-values-partial = People who have a value, of the newest { $people }: { $count }
console-field-delete-now = Delete it for good

console-set-outdated = Somebody else has changed this since you opened it, and nothing was saved. What you entered is still here. Where it differs from what is stored now, that is said below the field. Save again to use what you entered.
console-set-now = Stored now: { $value }
console-set-now-nothing = Nothing is stored here now.
console-set-rejected = Nothing was saved yet. Please check the marked fields.
console-set-type-title = Type the title to confirm: { $title }
console-set-type-name = Type the name to confirm: { $name }
console-set-fault-typed = This is not the same. Nothing was deleted.
console-set-fault-taken = This is taken already. Please choose another one.
console-set-fault-slug = Please use lower-case letters, digits and hyphens only, and a hyphen neither first nor last.
console-set-fault-code = Please use at most 100 visible characters, without spaces.
console-set-fault-code-short = Please use at least 8 characters.
console-set-fault-field-name = Please start with a letter, and use lower-case letters, digits and underscores only.
console-set-fault-reserved = Everybody already has a field called { $name }. Please choose another name.
console-set-fault-date = This is not a date. It should look like 2027-05-31.
console-set-fault-date-needed = Please enter a date: recordings are to be deleted some days after it.
console-set-fault-closing = This is not a date and time. It should look like 2027-05-31 18:00.
console-set-fault-domain = { $domain } is not a domain. It should look like example.edu.
console-set-fault-domains-needed = Please enter at least one domain, or choose somebody else who may register.
console-set-fault-many = This is too much. Please use at most { $most }.
console-set-fault-range = Please enter a number from { $least } to { $most }.
console-set-fault-options = Please enter what can be chosen, one on each line.
console-set-fault-option = { $option } has a semicolon in it, which separates choices. Please leave it out.
console-set-fault-page = There is no such name page. Please check its address.
