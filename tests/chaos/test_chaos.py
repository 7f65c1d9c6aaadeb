"""A fleet that knows nothing of the console, an operator and the agent, for some seconds: what the
ledger then says is what happened."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.chaos import book
from tests.chaos.judge import Verdict, judge, misstated
from tests.chaos.town import LOAD_S, PATIENCE_S, Town, is_up, town
from tests.chaos.truth import story
from tests.valkey import free_port, valkey
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(600)
FEW, MOST, MOST_BLIND = 0.01, 0.8, 0.1
# How much is seen on a busy machine is asked of long runs only; of all, that it is told right.
IS_LONG = "CHAOS_S" in os.environ


@pytest.fixture
def port() -> Iterator[int]:
    with valkey() as number:
        yield number


@pytest.fixture
def here(tmp_path: Path, port: int) -> Iterator[Town]:
    with town(tmp_path / "data", port) as made:
        yield made


def sentence(here: Town) -> Verdict:
    """The judgement, once the agent has told everything."""
    here.end()
    here.until_told()
    entries, spans = book.entries(here.database), book.spans(here.database)
    verdict = judge(here.truth(), entries, spans)
    tell(here, verdict)
    assert verdict.faults == []
    assert misstated(verdict, here.stated()) == []
    return verdict


def tell(here: Town, verdict: Verdict) -> None:
    """The figures, and what happened to each job of which not all is told."""
    lines = [verdict.report()]
    lines += [f"not seen: {span}" for span in book.spans(here.database)]
    for queue, job in verdict.doubtful:
        lines += [f"-- {queue} {job}", *story(here.data / "truth", queue, job)]
        entries = book.entries(here.database)
        lines += [str(one) for one in entries if (one.queue, one.job) == (queue, job)]
    sys.stdout.write("\n".join(["", *lines, ""]))


def assert_everything_seen(here: Town, verdict: Verdict) -> None:
    """Next to nothing was not seen, left no trace, or is uncertain."""
    assert_sure(verdict)
    if not IS_LONG:
        return
    blind_ms = sum(span.to_ms - span.from_ms for span in book.spans(here.database))
    assert blind_ms <= MOST_BLIND * LOAD_S * 1_000
    assert len(verdict.traceless) <= FEW * len(verdict.truth.endings)
    reaps = verdict.truth.counts["reaped"]
    assert sum(ended.kind == "reaped" for ended, _ in verdict.right) >= MOST * reaps


def assert_sure(verdict: Verdict) -> None:
    """Of the reaps that were in sight hardly one is uncertain."""
    assert len(verdict.avoidable) <= max(1, FEW * verdict.truth.counts["reaped"])


def test_what_the_ledger_says_is_what_happened(here):
    began_s = here.start_fleet()
    here.until_late(began_s)
    assert_everything_seen(here, sentence(here))


def test_what_an_agent_that_was_killed_did_not_see_is_a_gap(here):
    began_s = here.start_fleet()
    here.until_ended(20)
    here.kill("agent")
    away_s = here.store.time()[0]
    here.until_ended(20)
    # A lease that began and ended meanwhile may be as short as three seconds.
    here.until(lambda: here.store.time()[0] - away_s > 4, "the server's clock stands still")
    here.start_agent()
    here.until_late(began_s)
    verdict = sentence(here)
    assert book.spans(here.database)
    assert_sure(verdict)


def test_of_two_agents_the_other_goes_on_when_the_leader_is_killed(here):
    here.start_agent("other")
    began_s = here.start_fleet()
    here.until_ended(20)
    leader = book.rows(here.database, "SELECT number, holder FROM ledger_lead")
    here.kill("agent")
    here.until(
        lambda: book.rows(here.database, "SELECT number, holder FROM ledger_lead") != leader,
        "nobody takes over",
    )
    here.until_ended(20)
    here.until_late(began_s)
    assert_sure(sentence(here))


def test_what_an_operator_did_who_was_killed_before_the_copy_is_told(tmp_path, port):
    with town(tmp_path / "data", port, deaths=5) as here:
        began_s = here.start_fleet()
        here.until_late(began_s)
        assert_everything_seen(here, sentence(here))


def test_a_server_that_comes_back_from_its_append_only_file_changes_nothing(tmp_path):
    number, folder = free_port(), tmp_path / "valkey"
    folder.mkdir()
    options = ("--dir", str(folder), "--appendonly", "yes", "--appendfsync", "always")
    with ExitStack() as servers:
        servers.enter_context(valkey(*options, port=number))
        here = servers.enter_context(town(tmp_path / "data", number))
        began_s = here.start_fleet()
        here.until_ended(20)
        os.kill(here.store.info("server")["process_id"], signal.SIGKILL)
        wait_for(lambda: not is_up(here.store), PATIENCE_S, "the server lives", every_s=0.01)
        servers.enter_context(valkey(*options, port=number))
        here.until_ended(20)
        here.until_late(began_s)
        assert_sure(sentence(here))
