# The console: access tokens and SCIM.
