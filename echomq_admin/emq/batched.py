"""Many values in portions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Value = TypeVar("Value")


def batched(values: Iterable[Value], most: int) -> Iterator[list[Value]]:
    """The values in lists of `most` each, the last one of what is left; none for none."""
    each = iter(values)
    while some := list(islice(each, most)):
        yield some
