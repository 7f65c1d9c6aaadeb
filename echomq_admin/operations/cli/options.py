"""The command line of each verb, derived from what its action declares."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet.names import shown
from echomq_admin.operations.action import Action
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.arguments import (
    Argument,
    Before,
    Blob,
    Flag,
    Length,
    Name,
    Seen,
    Text,
    Whole,
)
from echomq_admin.operations.calls import Call
from echomq_admin.operations.cli.names import place, typed
from echomq_admin.operations.cli.stops import Usage

_BEFORE = re.compile(r"(.*?)=([^=:]+):([^=:]*)(?::(.*))?\Z", re.DOTALL)
_STDIN = "-"


def add_actions(verbs) -> None:
    """One sub-command for each action."""
    for action in ACTIONS.values():
        parser = verbs.add_parser(action.verb, description=action.help)
        add_common(parser)
        _add_target(parser, action)
        add_arguments(parser, action.args)
        parser.add_argument(
            "--op-id",
            default="",
            help="the same op_id again moves nothing twice (default: a fresh one)",
        )
        if not any(argument.name == "reason" for argument in action.args):
            _add_reason(parser)
        if action.fenced != "never":
            parser.add_argument(
                "--token",
                action="append",
                default=[],
                metavar="ID=N",
                help="the attempts that you saw of the job; it is left alone when they changed",
            )
        if action.needs_yes:
            parser.add_argument("--yes", action="store_true", help="yes, this is meant")


def add_common(parser) -> None:
    """What every verb takes."""
    parser.add_argument("--as", dest="user", required=True, metavar="USER", help="who acts")
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")


def add_scope(parser) -> None:
    """Where a reading looks: a queue, a server, or everywhere."""
    parser.add_argument("place", nargs="?", metavar="[SERVER/][QUEUE]")


def add_paging(parser, what: str, first: str) -> None:
    """How much of a list is told, and from where on; `first` is what it begins with."""
    parser.add_argument(
        "--limit", default="25", metavar="N", help=f"at most so many {what} (default 25)"
    )
    parser.add_argument(
        "--cursor", default="", help=f"where the page before ended (default: {first})"
    )


def add_arguments(parser, arguments: Iterable[Argument]) -> None:
    """An option for each argument, with the default that is declared for it."""
    for argument in arguments:
        if not isinstance(argument, Seen):
            _add_argument(parser, argument)


def typed_args(options: Mapping[str, object], arguments: Iterable[Argument]) -> dict[str, object]:
    """The arguments that were typed, unchecked."""
    return {
        argument.name: _value(argument, options[argument.name])
        for argument in arguments
        if argument.name in options
    }


def call(options: Mapping[str, object]) -> Call:
    """The call that was typed. Raises `Usage`."""
    action = ACTIONS[str(options["verb"])]
    server, queue = place(str(options["place"]))
    args = typed_args(options, action.args)
    job_ids = tuple(typed(text) for text in options.get("ids", ()))
    return Call(
        action=action.verb,
        server=server,
        queue=queue,
        job_ids=job_ids or tuple(args.get("before", ())),
        tokens=_tokens(job_ids, options.get("token", ())),
        args=args,
        op_id=str(options["op_id"]),
        reason=text(options.get("reason") or ""),
    )


def text(given: object) -> str:
    """Words of a person as they were typed."""
    return os.fsencode(str(given)).decode("utf-8", "surrogateescape")


def _add_reason(parser) -> None:
    help_text = "why, for the trail; EMQ_REASONS demands one for what an admin does"
    parser.add_argument("--reason", default="", help=help_text)


def _add_target(parser, action: Action) -> None:
    parser.add_argument("place", metavar="[SERVER/]QUEUE")
    if action.verb == "return_to_dead":
        parser.add_argument("ids", nargs="*", metavar="ID", help="default: those of --errors")
    elif action.target == "jobs":
        parser.add_argument("ids", nargs="+", metavar="ID")
    elif action.target == "job":
        parser.add_argument("ids", nargs=1, metavar="ID")


def _add_argument(parser, argument) -> None:
    option = "--" + argument.name.replace("_", "-")
    common = {"dest": argument.name, "default": argparse.SUPPRESS, "help": argument.whole_help}
    if isinstance(argument, Flag):
        parser.add_argument(option, action="store_true", **common)
    elif isinstance(argument, Before):
        parser.add_argument(
            "--errors",
            dest=argument.name,
            action="append",
            required=True,
            metavar="ID=ATTEMPTS:[STALLED][:ERROR]",
            help=f"{argument.whole_help}; or JSON {{id: [attempts, stalled, error]}}, - for stdin",
        )
    elif isinstance(argument, Whole) and argument.may_be_none:
        group = parser.add_mutually_exclusive_group(required=True)
        group.add_argument(option, metavar="N", **common)
        group.add_argument(
            "--no-limit", **(common | {"help": "no limit"}), action="store_const", const=None
        )
    else:
        is_count = isinstance(argument, Whole) and not isinstance(argument, Length)
        metavar = "N" if is_count else argument.label.upper().split()[0]
        parser.add_argument(option, required=argument.required, metavar=metavar, **common)


def _value(argument, given: object) -> object:
    if isinstance(argument, Before):
        return _before(given)
    if isinstance(argument, Blob):
        return _stdin().buffer.read() if given == _STDIN else os.fsencode(str(given))
    if isinstance(argument, Name) and given is not None:
        return typed(str(given))
    if isinstance(argument, Text):
        return text(given)
    return given


def _stdin() -> TextIO:
    if sys.stdin is None:
        raise Usage("- stands for the standard input, which is closed.")
    return sys.stdin


def _tokens(job_ids: tuple[str, ...], given: object) -> dict[str, object]:
    tokens: dict[str, object] = {}
    for text in given:
        job, equals, number = text.rpartition("=")
        if not equals:
            raise Usage(f"--token is ID=N, not {shown(from_wire(os.fsencode(text)))}.")
        tokens[typed(job)] = number
    if stray := tokens.keys() - set(job_ids):
        raise Usage(f"--token names {shown(min(stray))}, which is none of the jobs of this call.")
    return tokens


def _before(given: object) -> dict[str, tuple[object, object, object]]:
    jobs: dict[str, tuple[object, object, object]] = {}
    for text in given:
        if text == _STDIN:
            jobs |= _before_json(_stdin().read())
        elif text.lstrip().startswith("{"):
            jobs |= _before_json(text)
        elif found := _BEFORE.match(text):
            job, attempts, stalled, error = found.groups()
            jobs[typed(job)] = (attempts, None if error is None else os.fsencode(error), stalled)
        else:
            raise Usage("--errors is ID=ATTEMPTS:[STALLED][:ERROR] or a JSON object.")
    return jobs


def _before_json(text: str) -> dict[str, tuple[object, object, object]]:
    try:
        read = json.loads(text)
        return {
            typed(job): (attempts, error, stalled)
            for job, (attempts, stalled, error) in read.items()
        }
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise Usage("--errors as JSON is {id: [attempts, stalled, error], …}.") from None
