"""What the demo's jobs carry: JSON, text, MessagePack, Erlang terms, plain bytes."""

from __future__ import annotations

import json
import zlib

import msgpack

_NAMES = ("Ada Byron", "Zoë Ångström", "李小龙", "O'Neil & Sons", "Renée <renee@example.org>")
_ITEMS = ("teapot", "lamp", "bicycle bell", "map of the moon", "ladder")


def dice(text: str, sides: int) -> int:
    """0 to sides - 1, the same for the same text."""
    return zlib.crc32(text.encode()) % sides


def order(job_id: str) -> bytes:
    count = 1 + dice(job_id, 4)
    lines = [{"sku": _ITEMS[(count + n) % 5], "quantity": n + 1} for n in range(count)]
    return _json(
        order=1970670598291000000 + dice(job_id, 999_983),
        customer=_NAMES[dice(job_id + "c", 5)],
        total=f"{dice(job_id, 20_000) / 100:.2f}",
        lines=lines,
    )


def express_order(job_id: str) -> bytes:
    return _json(order=1970670598292000000 + dice(job_id, 999_983), courier="night", express=True)


def thumb(job_id: str) -> bytes:
    if dice(job_id, 4) == 0:
        return b"\x89PNG\r\n\x1a\n" + zlib.compress(job_id.encode() * 20)
    packed = msgpack.packb(
        {"image": f"media/{job_id}.jpg", "widths": [160, 320, 640], "sum": job_id.encode()[::-1]}
    )
    return bytes(packed)


def mail(job_id: str) -> bytes:
    name = _NAMES[dice(job_id, 5)]
    lines = f"Subject: Your order {job_id[-4:]}\n\nDear {name},\nit is on its way.\n"
    return lines.encode() * (1 if dice(job_id, 7) else 40)


def payment(job_id: str) -> bytes:
    return _json(invoice=f"R-{dice(job_id, 90_000) + 10_000}", cents=dice(job_id, 500_000))


def webhook(job_id: str) -> bytes:
    url = f"https://hooks.example.org/{_ITEMS[dice(job_id, 5)].replace(' ', '-')}"
    return _json(url=url, event="order.packed", body={"id": job_id, "tries": [1.10, 1e3]})


def report(job_id: str) -> bytes:
    """JSON as a careless library writes it: deep, with exact numbers and a key twice."""
    number = 9007199254740993 + dice(job_id, 9_999)
    body = '{"report": {"id": %d, "ratio": 1.10, "of": {"days": [[1, 2], [3, [4]]], "tz": null}}'
    return (body % number + ', "to": "ops@example.org", "to": "board@example.org"}').encode()


def heartbeat() -> bytes:
    return b"ping from the scheduler"


def archive(job_id: str) -> bytes:
    """A payload that no list would want to fetch, about 200 kB."""
    rows = [{"row": n, "name": _NAMES[n % 5], "sum": f"{n * 1.1:.2f}"} for n in range(3_000)]
    return _json(archive=job_id, rows=rows)


def log_lines(job_id: str, count: int) -> list[str]:
    """What a worker wrote while it worked on the job, oldest line first."""
    steps = ("connect", "send", "wait for the answer", "HTTP 503, try again", "give up for now")
    return [f"{n:03} {steps[n % 5]} ({job_id[-4:]})" for n in range(count)]


def command(job_id: str) -> bytes:
    if dice(job_id, 2):
        return _json(op="restart", bot=f"bot-{dice(job_id, 40)}")
    key, value = b"op", f"say:{job_id[-4:]}".encode()
    atom = b"w" + len(key).to_bytes(1, "big") + key
    binary = b"m" + len(value).to_bytes(4, "big") + value
    return b"\x83t" + (1).to_bytes(4, "big") + atom + binary


def _json(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()
