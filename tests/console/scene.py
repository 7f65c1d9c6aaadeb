"""Seeds for the pages, written as literal keys so that the pages are held against the wire."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import redis

from echomq_admin.emq import ids

A, B, C = "JOB0KHTOWnGLuA", "JOB0KHTOWnGLuB", "JOB0KHTOWnGLuC"
G = "GRP0KHTOWnGLuA"
HX = {"HX-Request": "true", "HX-Target": "live"}

Name = str | bytes


def raw(name: Name) -> bytes:
    return name.encode("utf-8", "surrogateescape") if isinstance(name, str) else name


class Scene:
    """One queue of the store. Each method leaves the state that its name says."""

    def __init__(self, store: redis.Redis, queue: Name) -> None:
        self.store = store
        self.base = b"emq:{" + raw(queue) + b"}:"
        self.admin = b"emqadmin:{" + raw(queue) + b"}:"

    def key(self, name: Name) -> bytes:
        return self.base + raw(name)

    def row(self, job_id: Name, **fields: object) -> None:
        values = {"state": "pending", "attempts": 0, "payload": "{}"} | fields
        self.store.hset(self.key(b"job:" + raw(job_id)), mapping=values)

    def dead(self, job_id: Name, **fields: object) -> None:
        self.row(job_id, **({"state": "dead", "attempts": 3, "last_error": "boom"} | fields))
        self.store.zadd(self.key("dead"), {raw(job_id): 0})

    def pending(self, job_id: Name, group: str | None = None, **fields: object) -> None:
        extra = {} if group is None else {"group": group}
        self.row(job_id, **(extra | fields))
        where = "pending" if group is None else f"g:{group}:pending"
        self.store.zadd(self.key(where), {raw(job_id): 0})

    def active(self, job_id: Name, left_ms: int, **fields: object) -> None:
        self.row(job_id, **({"state": "active", "attempts": 1} | fields))
        self.store.zadd(self.key("active"), {raw(job_id): self.now_ms() + left_ms})

    def many_dead(self, count: int) -> list[str]:
        """Dead jobs minted a second apart, oldest first."""
        made = [ids.mint("JOB", self.now_ms() - 1_000 * (count - n)) for n in range(count)]
        for job_id in made:
            self.dead(job_id)
        return made

    def now_ms(self) -> int:
        seconds, micros = self.store.time()
        return seconds * 1_000 + micros // 1_000

    def members(self, name: Name) -> list[bytes]:
        return self.store.zrange(self.key(name), 0, -1)

    def field(self, job_id: Name, name: str) -> bytes | None:
        return self.store.hget(self.key(b"job:" + raw(job_id)), name)


def dump(store: redis.Redis) -> dict[bytes, bytes]:
    """Everything in the store, to be held against itself later."""
    return {key: store.dump(key) for key in store.scan_iter(count=1_000)}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    """Every start tag as a browser reads it."""
    reader = _Reader()
    reader.feed(html)
    return reader.tags


def text(html: str) -> str:
    """What the page says, with white space folded."""
    reader = _Reader()
    reader.feed(html)
    return re.sub(r"\s+", " ", " ".join(reader.words))


def rows(html: str) -> list[str]:
    """The text of each row of a list."""
    parts = re.split(r"<tr [^>]*data-row[^>]*>", html)[1:]
    return [text(part.split("</tr>")[0]) for part in parts]


def value(html: str, name: str) -> str:
    """The value of the first field of that name."""
    return next(
        attrs.get("value") or ""
        for tag, attrs in tags(html)
        if tag == "input" and attrs.get("name") == name
    )


def keys_of(html: str) -> dict[str, str]:
    """What the tick boxes carry, by the name that their label gives."""
    return {
        (attrs["aria-label"] or "").removeprefix("Tick "): attrs["value"] or ""
        for tag, attrs in tags(html)
        if tag == "input" and attrs.get("name") == "job" and attrs.get("aria-label")
    }
