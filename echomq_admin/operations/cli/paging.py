"""What the verbs that read the ledger share: spans of time as options, and page after page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC
from typing import Any, TypeVar

from echomq_admin.fleet import moments
from echomq_admin.fleet.names import shown
from echomq_admin.ledger.keysets import Cut
from echomq_admin.operations.cli import times
from echomq_admin.operations.cli.stops import Usage

Found = TypeVar("Found", bound=Cut)
MOST = 1_000
_TIME = f"{moments.EXAMPLES}; UTC, or with an offset; 2h is two hours ago"


def add_times(parser) -> None:
    """The options for the bounds of time."""
    parser.add_argument("--from", dest="since", metavar="TIME", help=f"not before: {_TIME}")
    parser.add_argument("--to", dest="until", metavar="TIME", help="before this time")


def bounds(given: Mapping[str, object], now_ms: Callable[[], int]) -> dict[str, int | None]:
    """What these options mean, unix ms, as fields of a filter; `now_ms` is asked where one is
    given. Raises `Usage`."""
    since, until = (
        None if given[name] is None else _time(str(given[name]), now_ms())
        for name in ("since", "until")
    )
    if since is not None and until is not None and until < since:
        raise Usage("--to is before --from.")
    return {"since_ms": since, "until_ms": until}


def _time(text: str, now_ms: int) -> int:
    try:
        return moments.read(text, now_ms, UTC, ahead=False).ms
    except ValueError as error:
        raise Usage(shown(str(error))) from None


def pages(read: Callable[[int, str], Found], limit: int, cursor: str) -> Iterator[Found]:
    """Pages until there are so many rows; a search ends where its window does. `read` takes how
    many there may be, and the cursor."""
    left = limit
    while left > 0:
        found = read(left, cursor)
        yield found
        left -= len(found.keys)
        if found.next is None or found.reached_ms is not None:
            return
        cursor = found.next


def how_to_go_on(answer: Mapping[str, Any]) -> list[str]:
    """The lines behind the last page of a document."""
    said = []
    if answer["more_gaps"]:
        said.append("there are more gaps: ask for one server or one queue to see its own")
    if answer["searched_to_ms"] is not None:
        said.append(f"searched back to {times.exact(answer['searched_to_ms'])}")
    if answer["next"]:
        said.append(f"more: --cursor {answer['next']}")
    return said
