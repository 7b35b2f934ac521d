# The console: people.
