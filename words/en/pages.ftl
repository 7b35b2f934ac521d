# The home page and error pages. The API reference is in English only.

pages-site = Site
pages-reference = API reference
pages-home-title = Endonym: hear names the way their owners say them
pages-home-heading = Hear names the way their owners say them
pages-home-lead = This is an Endonym server. People record how to say their names; directories, learning systems and other applications show the names and play the recordings.
pages-home-promise = Clients of the Name Pronunciation Integration API, versions 5 to 2, work here unchanged: only the base URL is different.
pages-base-url = Base URL
pages-developers = For developers
pages-reference-link = API reference
pages-reference-about = Every operation with its parameters, responses and a command to try it.
pages-openapi = OpenAPI document, { $version }
pages-openapi-about = For tools that generate clients and tests.
pages-operators = For operators
pages-healthz = Is the process alive?
pages-readyz = Is it ready for traffic: is the database reachable and up to date?
pages-go-home = Go to the home page
pages-method-title = Not offered here
pages-method = { $method } is not offered at this address.
