# The console: learning systems and phone.
