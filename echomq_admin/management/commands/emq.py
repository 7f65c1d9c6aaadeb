"""`manage.py emq VERB …`: every action and the plain reads, through the same door as the pages."""

from __future__ import annotations

import json
import sys
from uuid import uuid4

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from echomq_admin.fleet.names import shown
from echomq_admin.operations import services
from echomq_admin.operations.actions import ACTIONS, VIEW
from echomq_admin.operations.arguments import whole
from echomq_admin.operations.cli import counts, jobs, options, output
from echomq_admin.operations.cli.names import typed
from echomq_admin.operations.cli.stops import (
    DONE,
    SERVER,
    SOME_REFUSED,
    USAGE,
    ServerFailed,
    Usage,
    exit_code,
)
from echomq_admin.operations.refusals import Invalid, Refused, Trouble


class Command(BaseCommand):
    help = (
        "Reads queues and moves jobs. Exit codes: 0 all done, 1 some refused, "
        "2 usage or permission, 3 server trouble. Names that are not plain: ~base64url."
    )
    requires_system_checks = ()

    def add_arguments(self, parser) -> None:
        verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
        _add_readings(verbs)
        options.add_actions(verbs)

    def run_from_argv(self, argv: list[str]) -> None:
        """A terminal that cannot show a character gets it escaped."""
        sys.stdout.reconfigure(errors="backslashreplace")
        super().run_from_argv(argv)

    def handle(self, **given: object) -> None:
        """Do one verb; ends by `SystemExit` with the exit code when that is not 0."""
        self._json = bool(given["json"])
        try:
            user = _user(str(given["user"]))
            code = self._act(user, given) if given["verb"] in ACTIONS else self._read(user, given)
        except (Usage, Invalid) as error:
            code = self._fail(str(error), USAGE)
        except ServerFailed as error:
            code = self._fail(str(error), SERVER)
        if code != DONE:
            sys.exit(code)

    def _act(self, user, given: dict[str, object]) -> int:
        if ACTIONS[str(given["verb"])].needs_yes and not given["yes"]:
            raise Usage(f"{ACTIONS[str(given['verb'])].label} asks for --yes. Nothing was sent.")
        call = options.call(given | {"op_id": given["op_id"] or uuid4().hex})
        steps: list[services.Done] = []
        try:
            for done in services.steps(user, call):
                steps.append(done)
                if done.more and ACTIONS[call.action].in_steps:
                    self._progress(done.sentence)
        except Refused as refused:
            return self._refused(call, refused)
        return self._done(steps)

    def _done(self, steps: list[services.Done]) -> int:
        if self._json:
            self._print_json(output.document(steps))
        else:
            self._print(output.summary(steps), *output.lines(steps[-1]))
            if steps[-1].note:
                self._print(steps[-1].note)
        return SOME_REFUSED if steps[-1].refusals else DONE

    def _refused(self, call: services.Call, refused: Refused) -> int:
        if self._json:
            self._print_json(output.refusal_document(call, refused))
        self.stderr.write(refused.sentence)
        if isinstance(refused, Trouble):
            self.stderr.write(f"On the command line: --op-id {call.op_id}")
        return exit_code(refused)

    def _read(self, user, given: dict[str, object]) -> int:
        if not user.has_perm(VIEW):
            raise Usage(f"{shown(user.get_username())} may not look: it takes the role viewer.")
        if given["verb"] == "counts":
            return self._counts(given)
        place = str(given["place"])
        if given["verb"] == "jobs":
            limit = whole("Limit", given["limit"], 1, jobs.MAX_ROWS)
            group = None if given["group"] is None else typed(str(given["group"]))
            page = jobs.jobs(place, str(given["state"]), limit, str(given["cursor"]), group)
            self._answer(page, jobs.jobs_lines)
            return DONE
        found = jobs.job(place, typed(str(given["id"])))
        self._answer(found, jobs.job_lines)
        return DONE if jobs.is_there(found) else SOME_REFUSED

    def _counts(self, given: dict[str, object]) -> int:
        answer = counts.counts(given["place"])
        if self._json:
            self._print_json({"servers": answer})
        else:
            self._print(*counts.lines(answer))
        failed = [str(server["error"]) for server in answer if "error" in server]
        for sentence in failed:
            self.stderr.write(sentence)
        return SERVER if failed else DONE

    def _answer(self, answer, lines) -> None:
        if self._json:
            self._print_json(answer)
        else:
            self._print(*lines(answer))

    def _fail(self, sentence: str, code: int) -> int:
        if self._json:
            self._print_json({"error": {"sentence": sentence}})
        self.stderr.write(sentence)
        return code

    def _progress(self, sentence: str) -> None:
        (self.stderr if self._json else self.stdout).write(sentence)

    def _print(self, *lines: str) -> None:
        for line in lines:
            self.stdout.write(line)

    def _print_json(self, answer: object) -> None:
        self.stdout.write(json.dumps(answer, indent=2))


def _add_readings(verbs) -> None:
    reading = verbs.add_parser("counts", help="the sizes of queues")
    options.add_common(reading)
    reading.add_argument("place", nargs="?", metavar="[SERVER/][QUEUE]")
    reading = verbs.add_parser("jobs", help="the rows of one set")
    options.add_common(reading)
    reading.add_argument("place", metavar="[SERVER/]QUEUE")
    reading.add_argument("state", choices=jobs.STATES)
    reading.add_argument("--limit", default="25", metavar="N", help="at most so many rows")
    reading.add_argument("--cursor", default="", help="where the page before ended")
    reading.add_argument("--group", help="the lane whose waiting jobs are meant")
    reading = verbs.add_parser("job", help="one job, whole")
    options.add_common(reading)
    reading.add_argument("place", metavar="[SERVER/]QUEUE")
    reading.add_argument("id", metavar="ID")


def _user(name: str):
    """The active user of that name. Raises `Usage`."""
    users = get_user_model()
    try:
        user = users._default_manager.get_by_natural_key(name)
    except users.DoesNotExist:
        raise Usage(f"There is no user {shown(name)}.") from None
    if not user.is_active:
        raise Usage(f"The user {shown(name)} is not active.")
    return user
