"""Branded job ids: 14 bytes that carry the instant they were minted.

Three letters of namespace, then a 63-bit snowflake in base 62, padded to 11 digits:
`(unix_ms - EPOCH_MS) << 22 | node << 12 | sequence`. The digits ascend in byte order, so
within one namespace byte order is mint order, and a set of equal scores can be cut by time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

EPOCH_MS = 1_704_067_200_000
MAX_SNOWFLAKE = 2**63 - 1
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUE = {digit: value for value, digit in enumerate(_DIGITS)}
_BRANDED = re.compile(r"([A-Z]{3})([0-9A-Za-z]{11})\Z")
_NAMESPACE = re.compile(r"[A-Z]{3}\Z")


@dataclass(frozen=True)
class BrandedId:
    """A well-formed id, taken apart. `minted_ms` is unix time in ms."""

    namespace: str
    snowflake: int

    @property
    def minted_ms(self) -> int:
        return (self.snowflake >> 22) + EPOCH_MS

    @property
    def node(self) -> int:
        return self.snowflake >> 12 & 0x3FF

    @property
    def sequence(self) -> int:
        return self.snowflake & 0xFFF

    def __str__(self) -> str:
        return self.namespace + encode(self.snowflake)


def encode(number: int) -> str:
    """A snowflake as 11 base-62 digits. Raises `ValueError` outside 63 bits."""
    if not 0 <= number <= MAX_SNOWFLAKE:
        raise ValueError(f"{number} is no 63-bit snowflake")
    digits = ""
    for _ in range(11):
        number, rest = divmod(number, 62)
        digits = _DIGITS[rest] + digits
    return digits


def parse(job_id: str) -> BrandedId | None:
    """Take an id apart, or `None` when it is malformed or out of range."""
    match = _BRANDED.match(job_id)
    if not match:
        return None
    number = 0
    for digit in match[2]:
        number = number * 62 + _VALUE[digit]
    return BrandedId(match[1], number) if number <= MAX_SNOWFLAKE else None


def minted_ms(job_id: str) -> int | None:
    """When the id was minted, unix ms, or `None` when it does not say."""
    parsed = parse(job_id)
    return parsed.minted_ms if parsed else None


def mint(namespace: str, unix_ms: int, node: int = 0, sequence: int = 0) -> str:
    """The id of one instant, node (10 bits) and sequence (12 bits)."""
    if not (_NAMESPACE.match(namespace) and 0 <= node < 1024 and 0 <= sequence < 4096):
        raise ValueError("an id needs three capitals, a node below 1024, a sequence below 4096")
    return namespace + encode((unix_ms - EPOCH_MS) << 22 | node << 12 | sequence)


def span(namespace: str, start_ms: int, end_ms: int) -> tuple[bytes, bytes]:
    """The BYLEX range of the ids that `namespace` minted at `start_ms` <= t < `end_ms`.

    Instants outside what an id can express are moved to its edge.
    """
    if not _NAMESPACE.match(namespace):
        raise ValueError(f"{namespace!r} is no namespace of three capitals")
    low = max(start_ms - EPOCH_MS, 0) << 22
    high = max(end_ms - EPOCH_MS, 0) << 22
    prefix = namespace.encode()
    first = b"[" + prefix + encode(low).encode() if low <= MAX_SNOWFLAKE else b"(" + _last(prefix)
    last = b"(" + prefix + encode(high).encode() if high <= MAX_SNOWFLAKE else b"[" + _last(prefix)
    return first, last


def before(namespace: str, unix_ms: int) -> bytes:
    """A name between the ids that `namespace` minted before an instant and those from it on.

    It is no id itself. Where none can be before the instant, it is the bare namespace.
    """
    if not _NAMESPACE.match(namespace):
        raise ValueError(f"{namespace!r} is no namespace of three capitals")
    number = ((unix_ms - EPOCH_MS) << 22) - 1
    prefix = namespace.encode()
    if number < 0:
        return prefix
    return prefix + encode(min(number, MAX_SNOWFLAKE)).encode() + b"\0"


def _last(prefix: bytes) -> bytes:
    return prefix + encode(MAX_SNOWFLAKE).encode()
