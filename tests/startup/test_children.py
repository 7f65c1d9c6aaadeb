"""Children are watched, started again or missed, and never outlive the family."""

from __future__ import annotations

import os
import sys

import pytest

from echomq_admin.startup.children import Child, Family
from echomq_admin.startup.errors import CannotGoOn
from tests.waiting import wait_for


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def family(tmp_path, said):
    with Family(tmp_path, tmp_path, said.append) as family:
        yield family


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def watched(family, condition):
    """Whether the condition holds after another look at the family."""
    family.watch()
    return condition()


def test_a_child_that_falls_starts_again_and_a_person_hears_of_it(family, said, tmp_path):
    count = tmp_path / "count"
    code = f"open({str(count)!r}, 'a').write('.'); import sys; sys.exit(3)"
    family.start(Child("worker", python(code)))
    wait_for(lambda: watched(family, lambda: count.exists() and len(count.read_text()) == 2))
    assert "worker ended by itself (exit code 3)" in said[0]


def test_a_child_that_must_not_fall_ends_the_watch_with_its_last_words(family):
    code = "import sys; sys.exit('the disk is full')"
    family.start(Child("server", python(code), restarts=False))
    wait_for(lambda: not family.runs("server"))
    with pytest.raises(CannotGoOn, match=r"server ended by itself.*the disk is full"):
        family.watch()


def test_a_program_that_is_not_there_cannot_start(family):
    with pytest.raises(CannotGoOn, match="server cannot be started"):
        family.start(Child("server", ["/no/such/program"]))


def test_a_child_that_ignores_the_request_is_killed(tmp_path, said, monkeypatch):
    monkeypatch.setattr("echomq_admin.startup.children.PATIENCE_S", 0.2)
    code = "import os, signal; signal.signal(15, signal.SIG_IGN); print(os.getpid(), flush=True)"
    with Family(tmp_path, tmp_path, said.append) as family:
        family.start(Child("deaf", python(f"{code}; signal.pause()")))
        pid = int(wait_for(lambda: family.last_line("deaf")))
    assert not os.path.exists(f"/proc/{pid}")


def test_a_log_is_cut_and_its_writer_goes_on(tmp_path, said, monkeypatch):
    monkeypatch.setattr("echomq_admin.startup.children.LOG_BYTES", 1000)
    code = "import time\nwhile True: print('x' * 99, flush=True); time.sleep(0.001)"
    with Family(tmp_path, tmp_path, said.append) as family:
        family.start(Child("chatty", python(code)))
        older = tmp_path / "chatty.log.1"
        wait_for(lambda: watched(family, older.exists))
        wait_for(lambda: family.last_line("chatty"))
    assert older.stat().st_size > 1000
