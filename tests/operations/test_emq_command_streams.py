"""`manage.py emq` where something of its surroundings is missing: a stream, room, the database."""

import os
import subprocess
import sys

import pytest

from tests.operations.scenes import A, Q, dead
from tests.operations.test_emq_command_process import ROOT, env, home

__all__ = ["env", "home"]


def _shell(env, words, redirection="", **more) -> subprocess.CompletedProcess[bytes]:
    """The command as a shell starts it."""
    ran = subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, ROOT / "manage.py", *words],
        env=env | more, check=False, capture_output=True,
    )  # fmt: skip
    assert b"Traceback" not in ran.stderr, ran.stderr.decode()
    return ran


def _counts(user="root"):
    return ("emq", "counts", "--as", user)


def _discover():
    return ("emq", "discover", "--as", "root")


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_a_closed_stream_is_no_trouble(env, client, redirection):
    dead(client)
    words = ("emq", "requeue", Q, A, "--as", "root")
    ran = _shell(env, words, redirection)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert not client.zcard("emq:{orders}:dead")


def test_a_payload_of_a_closed_input_is_a_usage_error(env, client):
    dead(client)
    words = ("emq", "update_payload", Q, A, "--payload", "-", "--as", "root")
    ran = _shell(env, words, "<&-")
    assert (ran.returncode, ran.stderr) == (
        2,
        b"- stands for the standard input, which is closed.\n",
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_without_room_is_one_sentence(env, client, unbuffered):
    dead(client)
    ran = _shell(env, _counts(), ">/dev/full", PYTHONUNBUFFERED=unbuffered)
    assert ran.returncode == 3
    assert ran.stderr == b"The answer could not be written: No space left on device.\n"


def test_a_user_of_foreign_bytes_is_nobody(env):
    ran = _shell(env, _counts(b"\xff"))
    assert (ran.returncode, ran.stderr) == (2, b"There is no user \\xff.\n")


@pytest.mark.parametrize("words", [_counts(), ("account", "ann", "--role", "viewer"), _discover()])
def test_a_folder_without_a_database_is_asked_about_and_gets_none(env, client, tmp_path, words):
    ran = _shell(env, words, EMQ_DATA=os.fspath(tmp_path))
    assert ran.returncode == 3
    assert b"EMQ_DATA" in ran.stderr
    assert (tmp_path / "console.sqlite3").exists() == (words[0] == "account")
    assert ran.stderr.count(b"\n") == 1
