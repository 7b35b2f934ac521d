# The console: settings and single sign-on.
