# The console: name pages, moderation and custom fields.
