"""The max stalled that a sweep of the command line starts with, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping

from echomq_admin.fleet import patterns
from echomq_admin.fleet.preferences import BUILT_IN, OWN, queue_settings
from echomq_admin.operations.cli.stops import Usage

_NAME = "max_stalled"


def with_usual(
    server: str, queue: str, given: Mapping[str, object]
) -> tuple[dict[str, object], str]:
    """The arguments of a sweep, with what is set for the queue where none was typed, and in words
    where its max stalled comes from, nothing for a typed one. Nothing set leaves the default of
    the protocol.

    Raises `Usage` when EMQ_QUEUES would say it and cannot be read.
    """
    if _NAME in given:
        return dict(given), ""
    usual = queue_settings(server, queue)
    if usual.max_stalled_from != OWN and patterns.trouble():
        raise Usage(f"{patterns.trouble()} Correct it, or give --max-stalled.")
    if usual.max_stalled_from == BUILT_IN:
        return dict(given), "the protocol's default"
    source = usual.max_stalled_from
    said = "set for this queue" if source == OWN else f"{source} of EMQ_QUEUES"
    return {**given, _NAME: usual.max_stalled}, said
