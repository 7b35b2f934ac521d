# The console: access tokens.

console-tokens-about = Programs use access tokens to read and change the people of your institution through the API.
console-tokens-docs = API reference
console-tokens-none = There are no access tokens that work. Create one for each program, so that you can revoke each of them separately.
console-tokens-new = New access token
console-tokens-show-ended = Show expired and revoked tokens, too
console-tokens-hide-ended = Only tokens that work
console-tokens-name = Name
console-tokens-name-hint = Which program uses the token, for example “Student information system”.
console-tokens-state = State
console-tokens-active = Works
console-tokens-replaced = Replaced, still works
console-tokens-expired = Expired
console-tokens-revoked = Revoked
console-tokens-soon = Expires soon
console-tokens-replacement = The token that replaces it
console-tokens-scope = Permissions
console-tokens-read = Read
console-tokens-read-hint = Lists, searches and lookups of people, and reading exports.
console-tokens-write = Read and write
console-tokens-write-hint = Also creates, changes and deletes people and recordings.
console-tokens-sync = Synchronize courses
console-tokens-sync-hint = Starts the synchronization of courses with your learning system, and nothing else.
console-tokens-everything = Everything
console-tokens-everything-hint = Reads, writes and synchronizes courses.
console-tokens-pages = Name pages
console-tokens-all-pages = All name pages
console-tokens-all-pages-hint = Also those that are created later.
console-tokens-some-pages = Only these name pages
console-tokens-no-pages = None anymore
console-tokens-pages-none = Please choose at least one name page.
console-tokens-pages-many = These are too many. Please choose at most { $most } name pages, or all.
console-tokens-rows = Rows
console-tokens-newest = One row for each person
console-tokens-newest-hint = If somebody is on several name pages, a lookup by email or ID gives only the entry with the newest recording.
console-tokens-held = Include people with a directory hold
console-tokens-held-hint = Other tokens list these people as if they had not recorded. Only for programs that nobody but staff uses.
console-tokens-held-short = Directory hold
console-tokens-maker = Created by
console-tokens-maker-unknown = Not known
console-tokens-maker-left = Has left
console-tokens-created = Created
console-tokens-used = Last use
console-tokens-never-used = Never
console-tokens-expires = Expires
console-tokens-forever = Does not expire
console-tokens-life = How long the token works
console-tokens-days =
    { $count ->
        [one] { $count } day
       *[other] { $count } days
    }
console-tokens-hours =
    { $count ->
        [one] { $count } hour
       *[other] { $count } hours
    }
console-tokens-create = Create the token
console-tokens-made-title = The new token
console-tokens-made-once = This is shown only now. Copy it to where it is used: we store no copy of it.
console-tokens-overlap = The old token works until { $until }. Replace it everywhere before then.
console-tokens-secret = Token
console-tokens-copy-secret = Copy the token
console-tokens-copy-curl = Copy the command
console-tokens-copied = Copied
console-tokens-curl-title = Try it
console-tokens-curl-about = Paste this line into a terminal. It lists people of your institution.
console-tokens-curl-sync = Paste this line into a terminal. In it, replace API_TOKEN with the API token of a learning system, and COURSE_ID with the ID of a course.
console-tokens-go-on = I have copied it
console-tokens-requests = Requests, 30 days
console-tokens-requests-title = Requests per day
console-tokens-requests-sum =
    { $count ->
        [one] { $count } request in the last 30 days.
       *[other] { $count } requests in the last 30 days.
    }
console-tokens-chart = Requests per day, at most { $most }
console-tokens-since = From { $day } until today
console-tokens-by-day = Numbers by day
console-tokens-day = Day
console-tokens-counted = Requests appear here after a few seconds.
console-tokens-rotate-title = Replace the token
console-tokens-rotate-about = You get a new token with the same permissions. The old one works for a while, so that nothing is interrupted.
console-tokens-overlap-label = The old token works for
console-tokens-overlap-none = Not at all
console-tokens-rotate = Create a new token
console-tokens-revoke-title = Revoke the token
console-tokens-revoke-about = It stops working within a second, and cannot be made to work again.
console-tokens-revoke-confirm = Programs that use this token stop working
console-tokens-revoke-unconfirmed = Please confirm this.
console-tokens-revoke = Revoke the token
console-tokens-done-revoked = The token was revoked.
