# The console: messages, exports and jobs.
