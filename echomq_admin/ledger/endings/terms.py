"""For how many days endings are kept, as EMQ_LEDGER_DAYS says it. Imports no models: the settings
read it."""

from __future__ import annotations

import re
from collections.abc import Iterator

# By the words of the setting; `stalled` are leases that lapsed and were swept, recovered or dead.
USUAL = {"stalled": 400.0, "reaped": 90.0, "failed": 400.0, "operator": 400.0, "uncertain": 90.0}
_DAYS = re.compile(r"[0-9]{1,5}(\.[0-9]{1,9})?")


def terms(text: str) -> dict[str, float]:
    """Days by word: a number alone is for all of them, `word=number` for one, and what is not named
    is as usual. Raises `ValueError` with what the setting is, as the rest of a sentence."""
    given = dict[str, float]()
    for word, days in _given(text):
        if word in given:
            raise ValueError(f"names {word or 'a number for all'} once, not twice")
        given[word] = days
    for_all = given.pop("", None)
    usual = USUAL if for_all is None else dict.fromkeys(USUAL, for_all)
    return {**usual, **given}


def _given(text: str) -> Iterator[tuple[str, float]]:
    for part in text.split():
        word, _, days = part.rpartition("=")
        is_word = word in USUAL if "=" in part else True
        if not (is_word and _DAYS.fullmatch(days)):
            raise ValueError(
                f"is a number of days, such as 400, or one for each of {', '.join(USUAL)}, such as "
                f"stalled=400 reaped=90, not {part[:50]!a}"
            )
        yield word, float(days)
