"""A person's browser, without JavaScript: pages, forms and cookies."""

import html
import http.cookiejar
import re
import urllib.parse
import urllib.request


class Visitor:
    def __init__(self):
        self.jar = http.cookiejar.CookieJar()
        no_proxy, cookies = urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.jar)
        self.browser = urllib.request.build_opener(no_proxy, cookies)
        self.browser.addheaders = [("Accept-Language", "en")]
        self.address = None

    def go(self, address, body=None):
        """Opens a page, and returns its text."""
        origin = "/".join(address.split("/")[:3])
        request = urllib.request.Request(address, body, {"Origin": origin} if body is not None else {})
        with self.browser.open(request, timeout=60) as answer:
            self.address = answer.geturl()
            return answer.read().decode()

    def submit(self, page, action):
        """Sends the form of this page whose action ends like this, a pattern. Returns the next page; `None` if there is no such form."""
        form = re.search(rf'<form[^>]* action="([^"]*{action})"[^>]*>(.*?)</form>', page, re.DOTALL)
        if not form:
            return None
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[2])
        fields = urllib.parse.urlencode([(name, html.unescape(value)) for name, value in hidden])
        return self.go(urllib.parse.urljoin(self.address, html.unescape(form[1])), fields.encode())

    def sign_in(self, link):
        """Opens a sign-in link and presses the button. Returns the page that it leads to."""
        page = self.submit(self.go(link), '/sign-in/link/[^"]*')
        assert page is not None, f"{link} has no button"
        return page

    def cookies(self):
        """The value of the header Cookie."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)
