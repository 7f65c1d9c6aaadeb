"""DATABASE_URL says where the console keeps what is its own, and is never quoted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured

from echomq_admin.database import database
from echomq_admin.settings import BASE_DIR
from tests.demo.running import environment
from tests.valkey import free_port

FOLDER = Path("/data")


def test_without_an_address_it_is_a_file_of_the_data_folder():
    for url in ("", "  "):
        found = database(url, FOLDER)
        assert found["ENGINE"] == "django.db.backends.sqlite3"
        assert found["NAME"] == FOLDER / "console.sqlite3"


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_an_address_of_postgresql_is_read_whole(scheme):
    url = f" {scheme}://emq:p%40s%2Fs%25@db.example:6543/console?sslmode=require "
    found = database(url, FOLDER)
    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert [found[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "emq", "p@s/s%", "db.example", 6543, "console",
    ]  # fmt: skip
    assert found["OPTIONS"]["sslmode"] == "require"
    assert found["CONN_MAX_AGE"] > 0
    assert found["CONN_HEALTH_CHECKS"]


def test_a_folder_of_a_socket_stands_behind_the_question_mark():
    found = database("postgresql:///console?host=/run/postgresql", FOLDER)
    assert (found["NAME"], found["HOST"], found["OPTIONS"]["host"]) == (
        "console", "", "/run/postgresql",
    )  # fmt: skip


def test_nothing_is_waited_for_without_end_unless_the_address_says_so():
    options = database("postgresql://h/n", FOLDER)["OPTIONS"]
    assert options["connect_timeout"] == 5
    for limit in ("statement_timeout=60s", "lock_timeout=10s", "session_timeout=60s"):
        assert limit in options["options"]
    own = database(
        "postgresql://h/n?connect_timeout=9&options=-c%20statement_timeout%3D5s", FOLDER
    )["OPTIONS"]
    assert own["connect_timeout"] == 9
    assert own["options"].endswith("-c statement_timeout=5s")
    psycopg.conninfo.make_conninfo(**own)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://emq:s3cret@h/n",
        "s3cret",
        "postgresql://emq:s3cret@h",
        "postgresql://emq:s3cret@h/",
        "postgresql://emq:s3cret@h:port/n",
        "postgresql://emq:s3/cret@h/n",
        "postgresql://emq:1/s3cret@h/n",
        "postgresql://emq:1#s3cret@h/n",
        "postgresql://emq:1?s3cret@h/n",
        "postgresql://emq:[s3cret@h/n",
        "postgresql://h/n?s3cret=1",
        "postgresql://h/%00s3cret",
        "postgresql://emq:%00s3cret@h/n",
    ],
)
def test_what_cannot_be_read_is_a_sentence_that_quotes_nothing(url):
    with pytest.raises(ImproperlyConfigured) as refused:
        database(url, FOLDER)
    said = str(refused.value)
    assert said.startswith("DATABASE_URL is postgresql://user:password@host:5432/name, with each")
    assert "s3cret" not in said
    assert "\n" not in said
    assert refused.value.__cause__ is None


COMMANDS = {
    "up": (["up"], 1),
    "emq": (["emq", "counts", "prod/orders", "--as", "olena"], 3),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_out_of_reach_is_one_sentence(tmp_path, command):
    words, code = COMMANDS[command]
    url = f"postgresql://emq:s3cret@127.0.0.1:{free_port()}/console"
    given = {"DATABASE_URL": url, "EMQ_SERVERS": f"prod=redis://127.0.0.1:{free_port()}"}
    ran = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=BASE_DIR, env=environment(tmp_path, **given),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == code
    assert ran.stderr.startswith("The console's database cannot be used")
    assert ran.stderr.count("\n") == 1
    assert "s3cret" not in ran.stderr + ran.stdout
    assert not list(tmp_path.glob("*.sqlite3"))


def test_a_wrong_address_ends_a_command_with_one_sentence(tmp_path):
    ran = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=BASE_DIR, env=environment(tmp_path, DATABASE_URL="postgresql://emq:s3/cret@h/n"),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr.startswith("DATABASE_URL is postgresql://")
    assert ran.stderr.count("\n") == 1
    assert "cret" not in ran.stderr
