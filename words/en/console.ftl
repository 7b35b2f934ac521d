# The console: its frame, overview and search.

console-overview = Overview
console-people = People
console-name-pages = Name pages
console-moderation = Moderation
console-custom-fields = Custom fields
console-tokens = Access tokens
console-learning-systems = Learning systems
console-phone = Phone
console-messages = Messages
console-jobs = Exports and jobs
console-settings = Settings
console-members = Members
console-audit = Audit log
console-title = Console
console-menu = Menu
console-own-page = Your own page
console-forbidden-title = This is not part of your role
console-forbidden = An owner or admin of your institution can do this, or give you the role.
console-sign-in-again = Please sign in again to do this.
