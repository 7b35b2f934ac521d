# The console: members and audit.
