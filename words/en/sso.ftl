# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = Sign in with { $name }
sso-over-title = Please sign in again
sso-over = This sign-in has expired, was used already, or was started in another browser. Start again from the sign-in page.
sso-denied-title = You are not signed in
sso-denied = You canceled, or { $name } did not let you in. Try again, or sign in by email instead.
sso-away-title = { $name } does not respond
sso-away = We cannot reach { $name } right now. Try again in a few minutes, or sign in by email instead.
sso-setup-title = Signing in with { $name } does not work
sso-setup = The connection between us and { $name } is not set up correctly. Please let your institution know. Until it is fixed, you can sign in by email.
sso-forged-title = We could not sign you in
sso-forged = We could not verify the response of { $name }. Please try again from the sign-in page.
sso-no-email-title = Your email address is missing
sso-no-email = { $name } did not send us your email address, so we cannot find your name here. Sign in by email instead.
sso-unverified-title = Your email address is not confirmed
sso-unverified = { $name } has not confirmed that your email address belongs to you. Confirm it there, or sign in by email instead.
sso-domain-title = This address cannot be used here
sso-domain = You are signed in to { $name } as { $email }, but this institution does not accept addresses of that kind. Try again with another account.
sso-unknown-title = You are not registered
sso-unknown = { $name } has confirmed that you are { $email }, but nobody is registered here with this address. Ask your institution to add you, or try again with another account.
sso-wait-title = Please wait a little
sso-wait = There are too many sign-ins from your network right now. Please try again in a minute.
sso-signed-out-title = You are signed out
sso-signed-out = You are signed out here. Next, we take you to { $name }, so that you can sign out there as well.
sso-unconfirmed-title = We could not confirm that it is you
sso-unconfirmed = For this step, we need to know that you have just signed in with { $name }, and it did not tell us so. Sign out there, sign in again and repeat the step. If that does not help, ask the people who run this service for a sign-in link.
sso-tenant = You are signed in to { $name } with an account that does not belong to this institution. Try again with another account.
