"""The verbs that only look, and the list of all verbs by role."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from echomq_admin.operations.actions import ACTIONS, Role
from echomq_admin.operations.arguments import whole
from echomq_admin.operations.cli import (
    history,
    jobs,
    options,
    preview,
    stalls,
    trail,
    trash,
    undo,
)
from echomq_admin.operations.cli.names import typed

READINGS = {
    "counts": "The sizes of queues.",
    "jobs": "The rows of one set: dead, pending, active, scheduled, or one lane.",
    "job": "One job, whole: its row, and the sets that hold it.",
    "history": "How the leases of one job ended, and what people did to it. Also of a job that is "
    "long gone.",
    "stalls": "How leases ended, newest first: stalled, reaped, dead, and how late.",
    "trail": "What people did, newest first. Who, when, where, why, to which jobs; also attempts "
    "that were refused, and sign-ins.",
    "trash": "Jobs that were removed and can be restored, the newest removal first.",
    "preview": "Where a sweep now would send each lapsed lease.",
    "discover": "A full look now at which queues and lanes a server has. The agent has one under "
    "way all the time; only the console's memory of names changes, so whoever may look may do it.",
}
# Those whose lines say less than their document.
_OF_THE_LEDGER = {"history": history.read, "stalls": stalls.read}
Lines = Callable[[dict[str, object]], list[str]]
_ROLES = {
    "viewer, changes nothing": READINGS,
    "operator": {verb: one.help for verb, one in ACTIONS.items() if one.role is Role.OPERATOR}
    | {undo.VERB: undo.HELP},
    "admin": {verb: one.help for verb, one in ACTIONS.items() if one.role is Role.ADMIN},
}


def verbs_by_role() -> str:
    """A line a verb under the role that it takes, each role having those above it too."""
    return "\n".join(_list())


def _list() -> Iterator[str]:
    for role, verbs in _ROLES.items():
        yield f"{role}:"
        for verb, text in verbs.items():
            yield f"  {verb:<15} {text.partition('. ')[0].rstrip('.')}"
    yield ""
    yield "manage.py emq VERB --help names the options of a verb and their defaults."


def add_readings(verbs) -> None:
    """One sub-command for each verb that looks."""
    parsers = {verb: verbs.add_parser(verb, description=text) for verb, text in READINGS.items()}
    for parser in parsers.values():
        options.add_common(parser)
    options.add_scope(parsers["counts"])
    parsers["discover"].add_argument(
        "place", nargs="*", metavar="SERVER", help="the servers that are meant (default: all)"
    )
    for verb in ("jobs", "job", "preview"):
        parsers[verb].add_argument("place", metavar="[SERVER/]QUEUE")
    _add_jobs(parsers["jobs"])
    history.add(parsers["history"])
    stalls.add(parsers["stalls"])
    trail.add(parsers["trail"])
    trash.add(parsers["trash"])
    parsers["job"].add_argument("id", metavar="ID")
    options.add_arguments(parsers["preview"], preview.ARGS)


def _add_jobs(parser) -> None:
    parser.add_argument("state", choices=jobs.STATES)
    options.add_paging(parser, "rows", "the first page")
    parser.add_argument("--group", help="the lane whose waiting jobs are meant")


def read(given: Mapping[str, object]) -> tuple[dict[str, object], Lines, bool]:
    """The document of a reading, how to print it, and whether it was found.

    Raises `Usage`, `Invalid`, `ServerFailed`.
    """
    if given["verb"] == "trail":
        return trail.read(given), trail.lines, True
    if given["verb"] == "trash":
        return trash.read(given), trash.lines, True
    if given["verb"] in _OF_THE_LEDGER:
        answer, said = _OF_THE_LEDGER[str(given["verb"])](given)
        return answer, lambda _: said, bool(answer.get("is_known", True))
    place = str(given["place"])
    if given["verb"] == "preview":
        args = options.typed_args(given, preview.ARGS)
        return preview.preview(place, args), preview.preview_lines, True
    if given["verb"] == "job":
        found = jobs.job(place, typed(str(given["id"])))
        return found, jobs.job_lines, jobs.is_there(found)
    limit = whole("Limit", given["limit"], 1, jobs.MAX_ROWS)
    group = None if given["group"] is None else typed(str(given["group"]))
    page = jobs.jobs(place, str(given["state"]), limit, str(given["cursor"]), group)
    return page, jobs.jobs_lines, True
