"""`manage.py emq VERB …`: every action and the plain reads, through the same door as the pages."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import (
    BaseCommand,
    CommandParser,
    DjangoHelpFormatter,
    OutputWrapper,
)

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.own_database import is_postgresql
from echomq_admin.operations import services
from echomq_admin.operations.actions import ACTIONS, VIEW
from echomq_admin.operations.cli import (
    counts,
    options,
    output,
    passes,
    readings,
    terminal,
    undo,
)
from echomq_admin.operations.cli.stops import (
    DONE,
    NO_DATABASE,
    SERVER,
    SOME_REFUSED,
    USAGE,
    ServerFailed,
    Usage,
    exit_code,
    no_database,
)
from echomq_admin.operations.cli.usual import with_usual
from echomq_admin.operations.refusals import Invalid, Refused, Trouble

_OF_SERVERS = {
    "counts": (counts.counts, counts.lines),
    "discover": (passes.passes, passes.lines),
}


class _Help(DjangoHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Django's order of options, and a list of verbs that stays a list."""


class Command(BaseCommand):
    help = (
        "Reads queues and moves jobs. Exit codes: 0 all done, 1 some refused, 2 usage or\n"
        "permission, 3 trouble of a server, the database or the output.\n"
        "Names that are not plain: ~base64url."
    )
    requires_system_checks = ()
    # Why a part of the answer could not be written, if so.
    _unwritten = ""

    def create_parser(self, prog_name: str, subcommand: str, **given: object) -> CommandParser:
        given |= {"formatter_class": _Help, "epilog": readings.verbs_by_role()}
        return super().create_parser(prog_name, subcommand, **given)

    def add_arguments(self, parser) -> None:
        verbs = parser.add_subparsers(
            dest="verb", metavar="VERB", required=True, help="one of those below"
        )
        readings.add_readings(verbs)
        options.add_actions(verbs)
        undo.add(verbs)

    def run_from_argv(self, argv: list[str]) -> None:
        """A terminal that cannot show a character gets it escaped; each refusal is said once."""
        terminal.have_streams()
        self.stdout, self.stderr = OutputWrapper(sys.stdout), OutputWrapper(sys.stderr)
        sys.stdout.reconfigure(errors="backslashreplace")
        # The command writes the sentence to the stream that the log would write it to as well.
        services.logger.disabled = True
        code = DONE
        try:
            super().run_from_argv(argv)
        except SystemExit as stop:
            code = int(stop.code or DONE)
        self._unwritten = terminal.written(sys.stdout, sys.stdout.flush) or self._unwritten
        if self._unwritten:
            self._tell(self._unwritten)
            code = code or SERVER
        if code != DONE:
            sys.exit(code)

    def handle(self, **given: object) -> None:
        """Do one verb; ends by `SystemExit` with the exit code when that is not 0."""
        self._json = bool(given["json"])
        try:
            user = _user(str(given["user"]))
            code = self._do(user, given)
        except (Usage, Invalid) as error:
            code = self._fail(str(error), USAGE)
        except ServerFailed as error:
            code = self._fail(str(error), SERVER)
        except NO_DATABASE as error:
            code = self._fail(no_database(error), SERVER)
        if code != DONE:
            sys.exit(code)

    def _do(self, user, given: dict[str, object]) -> int:
        if given["verb"] == undo.VERB:
            return self._undo(user, given)
        return self._act(user, given) if given["verb"] in ACTIONS else self._read(user, given)

    def _undo(self, user, given: dict[str, object]) -> int:
        call = undo.call(given)
        try:
            done = undo.undo(user, given, call)
        except Refused as refused:
            return self._refused(call, refused, is_named=False)
        return self._done([done], [])

    def _act(self, user, given: dict[str, object]) -> int:
        action = ACTIONS[str(given["verb"])]
        # Who lacks the role is told that by the door.
        if action.needs_yes and not given["yes"] and services.allowed(user, action.verb):
            raise Usage(f"{action.label} asks for --yes. Nothing was sent.")
        call, usual = self._usual(options.call(given | {"op_id": given["op_id"] or uuid4().hex}))
        steps: list[services.Done] = []
        try:
            for done in services.steps(user, call):
                steps.append(done)
                if done.more and ACTIONS[call.action].in_steps:
                    self._progress(done.sentence)
        except Refused as refused:
            return self._refused(call, refused)
        return self._done(steps, usual)

    def _usual(self, call: services.Call) -> tuple[services.Call, list[str]]:
        """A sweep at the max stalled of its queue, and a line that says so."""
        if call.action != "sweep":
            return call, []
        args, source = with_usual(call.server, call.queue, call.args)
        if args == dict(call.args):
            return call, []
        return replace(call, args=args), [f"max stalled {args['max_stalled']:,}: {source}"]

    def _done(self, steps: list[services.Done], usual: list[str]) -> int:
        if self._json:
            self._print_json(output.document(steps))
        else:
            self._print(output.summary(steps), *output.lines(steps[-1]), *usual, *undo.way(steps))
            if steps[-1].note:
                self._print(steps[-1].note)
        return SOME_REFUSED if steps[-1].refusals or output.is_left(steps[-1]) else DONE

    def _refused(self, call: services.Call, refused: Refused, is_named: bool = True) -> int:
        """`is_named` when the call can be repeated only by its op_id."""
        if self._json:
            self._print_json(output.refusal_document(call, refused))
        self._tell(refused.sentence)
        if is_named and isinstance(refused, Trouble):
            self._tell(f"On the command line: --op-id {call.op_id}")
        return exit_code(refused)

    def _read(self, user, given: dict[str, object]) -> int:
        if not user.has_perm(VIEW):
            raise Usage(f"{shown(user.get_username())} may not look: it takes the role viewer.")
        if given["verb"] in _OF_SERVERS:
            return self._read_servers(given)
        answer, lines, is_found = readings.read(given)
        if self._json:
            self._print_json(answer)
        else:
            self._print(*lines(answer))
        return DONE if is_found else SOME_REFUSED

    def _read_servers(self, given: dict[str, object]) -> int:
        """A reading that has a document for each server, also for one in trouble."""
        read, lines = _OF_SERVERS[str(given["verb"])]
        answer = read(given["place"])
        if self._json:
            self._print_json({"servers": answer})
        else:
            self._print(*lines(answer))
        failed = [str(server["error"]) for server in answer if "error" in server]
        for sentence in failed:
            self._tell(sentence)
        return SERVER if failed else DONE

    def _fail(self, sentence: str, code: int) -> int:
        if self._json:
            self._print_json({"error": {"sentence": sentence}})
        self._tell(sentence)
        return code

    def _progress(self, sentence: str) -> None:
        self._write(self.stderr if self._json else self.stdout, sentence)

    def _print(self, *lines: str) -> None:
        for line in lines:
            self._write(self.stdout, line)

    def _print_json(self, answer: object) -> None:
        self._print(json.dumps(answer, indent=2))

    def _tell(self, sentence: str) -> None:
        self._write(self.stderr, sentence)

    def _write(self, stream: OutputWrapper, text: str) -> None:
        unwritten = terminal.written(stream, lambda: stream.write(text))
        self._unwritten = self._unwritten or unwritten


def _user(name: str):
    """The active user of that name. Raises `Usage`."""
    # To ask a database that is not there would make an empty one; of PostgreSQL it makes none.
    if not (is_postgresql() or Path(settings.DATABASES["default"]["NAME"]).exists()):
        raise ServerFailed(
            f"There is no database of a console in {settings.DATA_DIR}. "
            "Set EMQ_DATA to the folder of the running console."
        )
    users = get_user_model()
    name = from_wire(os.fsencode(name))
    try:
        user = users._default_manager.get_by_natural_key(name)
    except (users.DoesNotExist, UnicodeEncodeError):
        raise Usage(f"There is no user {shown(name)}.") from None
    if not user.is_active:
        raise Usage(f"The user {shown(name)} is not active.")
    return user
