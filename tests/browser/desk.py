"""A browser with one page, and what it complained of."""

from __future__ import annotations

import re

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import BrowserContext, Locator, Page, Request, Response

from tests.waiting import wait_for

_WATCH_POLICY = """
window.policyViolations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.policyViolations.push(`${event.violatedDirective}: ${event.blockedURI}`);
});
"""
# A browser itself notes every answer of 4xx and 5xx, and htmx says it again.
_ANSWERS = re.compile(
    r"Failed to load resource|Response Status Error Code|net::ERR|htmx:\w+(Request|Error), "
)
# A page drops its own read when a person presses a button meanwhile. htmx calls it an error, twice.
_DROPPED = re.compile(r"error: htmx:sendAbort, .*")
_OVER = re.compile(r"error: htmx:afterRequest, .*")


class Desk:
    """One person's browser. `expects_failures` leaves failed requests out of the complaints."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context = context
        self.address = address
        self.expects_failures = False
        self._said: list[str] = []
        context.add_init_script(_WATCH_POLICY)
        self.page: Page = context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self._said.append(f"error: {error}"))
        self.page.on("dialog", self._alert)

    def sign_in(self, name: str, password: str) -> None:
        """Put the cookie of a session into the browser, which has opened no page yet. The form is
        for the tests that are about it: two pages more cost as much as all else of most tests."""
        who = User.objects.get(username=name)
        assert who.check_password(password)
        seat = Client()
        seat.force_login(who)
        cookie = settings.SESSION_COOKIE_NAME
        one = {"name": cookie, "value": seat.cookies[cookie].value, "url": self.address}
        self.context.add_cookies([one])

    def complaints(self) -> list[str]:
        """Errors of scripts, refusals of the policy, and requests that failed unexpectedly."""
        refused = self.page.evaluate("window.policyViolations || []")
        said = _undropped(self._said) + refused
        if self.expects_failures:
            said = [line for line in said if not _ANSWERS.search(line)]
        return said

    def _console(self, message) -> None:
        if message.type in {"error", "warning"}:
            self._said.append(f"{message.type}: {message.text}")

    def _alert(self, dialog) -> None:
        self._said.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def _undropped(said: list[str]) -> list[str]:
    """Without what htmx says of a read that was dropped: that it is over, then that it was."""
    left: list[str] = []
    for line in said:
        if not _DROPPED.fullmatch(line):
            left.append(line)
        elif left and _OVER.fullmatch(left[-1]):
            left.pop()
    return left


def is_own_read(request: Request) -> bool:
    """Whether the page reads itself anew with this request."""
    return request.method == "GET" and request.headers.get("hx-request") == "true"


def is_poll(response: Response) -> bool:
    """Whether this is the answer to such a request."""
    return is_own_read(response.request)


def run_until_visible(locator: Locator) -> None:
    """Run the page's own clock on until something is to be seen.

    How far that is is not known beforehand: a read that is under way while the clock jumps counts
    as a slow one, and the page then waits longer before the next.
    """

    def is_visible_a_second_on() -> bool:
        locator.page.clock.run_for(1_000)
        return locator.is_visible()

    wait_for(is_visible_a_second_on)


def next_poll(page: Page, count: int = 1) -> None:
    """Wait until the page has read itself anew so many times."""
    for _ in range(count):
        with page.expect_response(is_poll):
            pass
    # The swap follows in the same task as the answer, so one more task is enough.
    page.evaluate("new Promise((done) => setTimeout(done))")
