"""What a person does with a confirmation: open it, fill it in, send it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.test import Client

from echomq_admin.fleet.names import to_url
from tests.console.pressing import url_of
from tests.console.scene import text
from tests.console.walking import fields_of


@dataclass
class Asking:
    """A confirmation that lies open before somebody."""

    who: Client
    verb: str
    html: str

    @property
    def says(self) -> str:
        return text(self.html)

    @property
    def fields(self) -> dict[str, object]:
        return fields_of(self.html)

    def send(self, **fields: object) -> Answer:
        """Send it with these fields beside its own; `None` leaves one out."""
        data = {name: one for name, one in (self.fields | fields).items() if one is not None}
        answer = self.who.post(url_of(self.verb), data, follow=True)
        return Answer(self.who, self.verb, answer.content.decode(), answer.status_code)


@dataclass
class Answer(Asking):
    """The page that came back."""

    status: int = 200

    @property
    def asks_again(self) -> bool:
        return '<form class="ask"' in self.html


@pytest.fixture
def asking(browser) -> Callable[..., Asking]:
    """Open the confirmation of a verb, for jobs as `attempts:stalls` by id or with none seen."""

    def open_for(role: str, verb: str, *jobs: str, seen: str = ":", **fields: str) -> Asking:
        who = browser(role)
        keys = [f"{seen}:{to_url(job_id)}" for job_id in jobs]
        answer = who.post(url_of(verb), {"job": keys, **fields})
        return Asking(who, verb, answer.content.decode())

    return open_for
