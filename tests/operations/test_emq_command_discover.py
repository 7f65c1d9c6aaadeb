"""`manage.py emq discover`: a pass over each server, and what it says of those in trouble."""

from __future__ import annotations

import re

from django.db import OperationalError

from echomq_admin.fleet.discovery import known
from tests.operations.scenes import G, pending
from tests.valkey import free_port


def test_a_pass_is_made_and_told(emq_command, client, viewer):
    pending(client, group=G)
    ran = emq_command("discover", "--as", viewer)
    assert (ran.code, ran.err) == (0, "")
    said = r"main: 1 queue, 1 lane, \d+ keys looked at, [\d,]+ ms\n"
    assert re.fullmatch(said, ran.out)
    assert known("main") == {"orders": (G,)}


def test_a_pass_is_one_json_document(emq_command, client, viewer):
    pending(client)
    ran = emq_command("discover", "main", "--as", viewer, "--json")
    (done,) = ran.document["servers"]
    assert done.pop("took_ms") >= 0
    assert done == {"server": "main", "queues": 1, "lanes": 0, "keys": 1}


def test_a_server_that_fails_stops_no_other(emq_command, client, viewer, settings):
    settings.EMQ_SERVERS = f"bad=redis://:s3cret@127.0.0.1:{free_port()} {settings.EMQ_SERVERS}"
    pending(client)
    ran = emq_command("discover", "--as", viewer)
    assert ran.code == 3
    assert ran.out.startswith("main: 1 queue, ")
    assert ran.err.startswith("bad cannot be read at ")
    assert "s3cret" not in ran.err


def test_only_the_servers_that_are_named_are_walked(emq_command, client, viewer, settings):
    settings.EMQ_SERVERS = f"bad=redis://127.0.0.1:{free_port()} {settings.EMQ_SERVERS}"
    ran = emq_command("discover", "main", "main", "--as", viewer)
    assert (ran.code, ran.out.count("\n")) == (0, 1)


def test_a_server_that_is_not_configured_is_named(emq_command, client, viewer):
    ran = emq_command("discover", "oth\x07er", "--as", viewer)
    assert ran.code == 2
    assert ran.err == "There is no server oth\\x07er. EMQ_SERVERS names: main.\n"


def test_it_takes_the_right_to_look(emq_command, client, member):
    pending(client)
    ran = emq_command("discover", "--as", member("nobody").username)
    assert (ran.code, known("main")) == (2, {})
    assert "it takes the role viewer" in ran.err


def test_a_locked_database_is_told_as_such(emq_command, client, viewer, monkeypatch):
    def locked(server):
        raise OperationalError("database is locked")

    monkeypatch.setattr("echomq_admin.operations.cli.passes.discover", locked)
    ran = emq_command("discover", "--as", viewer)
    assert ran.code == 3
    assert ran.err == "The console's database is locked by another process. Try again.\n"
