"""`emq preview`: where a sweep now would send each lapsed lease. It changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from echomq_admin.emq import reads
from echomq_admin.fleet.names import shown
from echomq_admin.operations import arguments
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.cli.asking import answering, with_queue
from echomq_admin.operations.cli.jobs import job_line, lease_row
from echomq_admin.operations.cli.names import named, place
from echomq_admin.operations.cli.usual import with_usual

ARGS = ACTIONS["sweep"].args


def preview(text: str, given: Mapping[str, object]) -> dict[str, object]:
    """The fates of the lapsed leases, for the arguments of a sweep.

    Raises `Usage`, `Invalid`, `ServerFailed`.
    """
    name, queue = place(text)
    given, source = with_usual(name, queue, given)
    args = arguments.clean(ARGS, given)
    max_stalled, limit = int(str(args["max_stalled"])), int(str(args["limit"]))
    server = with_queue(name, queue)
    with answering(server):
        found = reads.sweep_preview(server.client, queue, max_stalled, limit)
    return {
        "server": name,
        **named("queue", queue),
        "now_ms": found.now_ms,
        "max_stalled": max_stalled,
        "max_stalled_from": source,
        "limit": limit,
        "lapsed": found.lapsed,
        "fault": found.fault,
        "cut": found.cut,
        "leases": [lease_row(fate.lease) | {"fate": fate.fate} for fate in found.rows],
    }


def preview_lines(answer: dict[str, object]) -> list[str]:
    """A line a lease, then what the sweep would do with all of them."""
    leases = answer["leases"]
    lines = [f"{job_line(row)} -> {_fate(row['fate'], 1)}" for row in leases]
    lines.append(_whole(answer, Counter(row["fate"] for row in leases)))
    if answer["cut"]:
        lines.append(f"the sweep would go on; a preview looks at {len(leases):,} leases")
    if answer["fault"]:
        lines.append(f"the sweep itself would be refused: {shown(str(answer['fault']))}")
    return lines


def _whole(answer: dict[str, object], fates: Counter[str]) -> str:
    lapsed, taken = answer["lapsed"], fates.total()
    if not taken:
        return "no lease has lapsed" if lapsed == 0 else "the lapsed leases cannot be read"
    said = ", ".join(f"{fates[fate]:,} {_fate(fate, fates[fate])}" for fate in fates)
    of_all = f"{taken:,} of {'?' if lapsed is None else f'{lapsed:,}'} lapsed"
    source = answer["max_stalled_from"]
    most = f"max stalled {answer['max_stalled']:,}{f' ({source})' if source else ''}"
    return f"{of_all}, a sweep now at {most}: {said}"


def _fate(fate: str, count: int) -> str:
    word = ACTIONS["sweep"].outcomes[fate]
    return word.one if count == 1 else word.many
