"""People who act on one queue through a web server that may die at any moment."""

from __future__ import annotations

import http.client
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

import redis

from tests.console.scene import text
from tests.console.walking import form_to
from tests.faults.nursery import PASSWORD

QUEUE = "orders"
BASE = b"emq:{orders}:"
HERE = f"/q/main/{QUEUE}"
# What a dead process looks like from the other end of the wire.
CUT = (ConnectionError, http.client.HTTPException, TimeoutError)
PATIENCE_S = 30
# The others locked the database for too long: the same form again is what the page says.
LOCKED = "database is locked"
JOBS = 150


@dataclass
class Answer:
    status: int
    text: str
    location: str

    @property
    def did(self) -> str:
        """The op_id of the call that the answer leads back from."""
        return parse_qs(urlsplit(self.location).query).get("did", [""])[0]

    @property
    def is_busy(self) -> bool:
        return self.status == 503 and LOCKED in self.text


def said(answer: Answer) -> str:
    """What an answer says in its own part of the page."""
    return text(answer.text.partition("<main")[2] or answer.text)[:1_000]


@dataclass
class Tally:
    """What happened to everybody together."""

    strange: list[str] = field(default_factory=list)
    cuts: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Person:
    """A browser that repeats what was not answered, mostly: some give up, as people do."""

    def __init__(self, name: str, port: int, store: redis.Redis, tally: Tally, seed: int) -> None:
        self.name, self.tally = name, tally
        self._port, self._store = port, store
        self._dice = random.Random(seed)
        self._cookies: dict[str, str] = {}
        self._undoable: list[str] = []
        self.is_leaving = threading.Event()

    def sign_in(self) -> None:
        self.get("/login/")
        fields = {"username": self.name, "password": PASSWORD}
        answer = self._insist(lambda: self._send("POST", "/login/", fields))
        assert answer.status == 302, answer.text

    def live(self) -> None:
        """Act until asked to leave."""
        acts = [*[self._requeue] * 4, self._promote, self._bury, *[self._remove] * 2]
        acts += [self._undo, *[self._restore] * 2]
        while not self.is_leaving.is_set():
            self._dice.choice(acts)()

    def restore(self, jobs: list[str]) -> None:
        """Put all of these back."""
        self.is_leaving.clear()
        for start in range(0, len(jobs), 50):
            self._confirmed("restore", {"job": [f"::{job}" for job in jobs[start : start + 50]]})

    def get(self, path: str) -> Answer:
        return self._insist(lambda: self._send("GET", path))

    def _requeue(self) -> None:
        jobs = self._some("dead")
        if len(jobs) == 1:
            answer = self._press("requeue", {"only": jobs})
        else:
            answer = self._confirmed("requeue", {"job": jobs})
        if answer and answer.did:
            self._undoable.append(answer.did)

    def _promote(self) -> None:
        self._press("promote_now", {"only": self._some("schedule")[:1]})

    def _bury(self) -> None:
        self._confirmed("bury", {"job": self._some("pending") or self._some("schedule")})

    def _remove(self) -> None:
        where = self._dice.choice(["dead", "dead", "pending", "schedule"])
        self._confirmed("remove", {"job": self._some(where)})

    def _undo(self) -> None:
        if self._undoable:
            self._act(f"undo/{self._undoable.pop()}", {"op_id": self._op_id()})

    def _restore(self) -> None:
        gone = self._gone()
        if gone:
            self._confirmed("restore", {"job": [f"::{job}" for job in gone]})

    def _some(self, where: str) -> list[str]:
        """The form values of up to three jobs of a set, with the attempts that they have."""
        ids = self._store.zrandmember(BASE + where.encode(), self._dice.randint(1, 3))
        return [self._key(raw) for raw in ids or ()]

    def _key(self, raw: bytes) -> str:
        attempts = self._store.hget(BASE + b"job:" + raw, "attempts") or b""
        return f"{attempts.decode()}::{raw.decode()}"

    def _gone(self) -> list[str]:
        everybody = [f"JOB{number:011}" for number in range(JOBS)]
        few = self._dice.sample(everybody, 30)
        return [job for job in few if not self._store.exists(BASE + b"job:" + job.encode())][:3]

    def _press(self, verb: str, fields: Mapping[str, object]) -> Answer | None:
        if not any(fields.values()):
            return None
        return self._act(verb, {**fields, "op_id": self._op_id()})

    def _confirmed(self, verb: str, fields: Mapping[str, object]) -> Answer | None:
        """Look at the confirmation, then send it as it is offered."""
        if not any(fields.values()):
            return None
        page = self.get(f"{HERE}/{verb}?{urlencode(fields, doseq=True)}")
        if page.status >= 500 and not page.is_busy:
            self._note(verb, page)
        form = form_to(page.text, f"{HERE}/{verb}")
        return self._act(verb, {**form.fields, "typed": QUEUE}) if form else None

    def _act(self, path: str, fields: Mapping[str, object]) -> Answer | None:
        """Send a form; when no answer comes, send the very same again, or give up."""
        form = {**fields, "reason": self.reason}
        while not self.is_leaving.is_set():
            try:
                answer = self._send("POST", f"{HERE}/{path}", form)
            except CUT:
                self._cut()
                if self._dice.random() < 0.3:
                    return None
                continue
            if not answer.is_busy:
                self._note(path, answer)
                return answer
        return None

    @property
    def reason(self) -> str:
        return f"{self.name} says so"

    def _note(self, path: str, answer: Answer) -> None:
        with self.tally.lock:
            if answer.status >= 400:
                self.tally.strange.append(f"{path}: {answer.status} {said(answer)}")

    def _cut(self) -> None:
        with self.tally.lock:
            self.tally.cuts += 1

    def _insist(self, send: Callable[[], Answer]) -> Answer:
        while True:
            try:
                return send()
            except CUT:
                self._cut()
                if self.is_leaving.is_set():
                    return Answer(0, "", "")

    def _op_id(self) -> str:
        return f"{self._dice.getrandbits(128):032x}"

    def _send(self, method: str, path: str, fields: Mapping[str, object] | None = None) -> Answer:
        wire = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        try:
            return self._talk(wire, method, path, fields)
        finally:
            wire.close()

    def _talk(
        self,
        wire: http.client.HTTPConnection,
        method: str,
        path: str,
        fields: Mapping[str, object] | None,
    ) -> Answer:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        body = None
        if fields is not None:
            token = {"csrfmiddlewaretoken": self._cookies.get("csrftoken", "")}
            body = urlencode({**fields, **token}, doseq=True)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        wire.request(method, path, body, headers)
        got = wire.getresponse()
        text = got.read().decode()
        for line in got.headers.get_all("Set-Cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self._cookies[name] = value
        return Answer(got.status, text, got.headers.get("Location") or "")
