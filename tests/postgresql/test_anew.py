"""A database that has nothing yet: brought up to date by all who start at once, and used."""

from __future__ import annotations

import os
import subprocess
import sys

import psycopg
import redis

from tests.demo.running import ROOT, environment, up
from tests.waiting import wait_for


def asked(url: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as database:
        return database.execute(sql).fetchall()


def test_of_those_who_bring_it_up_to_date_at_once_each_waits_for_its_turn(empty_url, tmp_path):
    started = [
        subprocess.Popen(
            [sys.executable, "manage.py", "migrate", "-v0"],
            cwd=ROOT, env=environment(tmp_path, DATABASE_URL=empty_url),
            stderr=subprocess.PIPE, text=True,
        )
        for _ in range(3)
    ]  # fmt: skip
    assert [one.communicate(timeout=120)[1] for one in started] == ["", "", ""]
    applied = asked(empty_url, "SELECT app, name FROM django_migrations")
    assert len(applied) == len(set(applied)) > 20


def test_a_console_on_it_starts_at_one_command_and_makes_no_file(
    empty_url, tmp_path, client: redis.Redis, server_url
):
    client.zadd("emq:{orders}:pending", {"a": 0})
    data = tmp_path / "data"
    with up(data, DATABASE_URL=empty_url, EMQ_SERVERS=f"prod={server_url}") as running:
        assert running.password
        wait_for(lambda: asked(empty_url, "SELECT name FROM fleet_knownqueue") == [(b"orders",)])
        listed = subprocess.run(
            [sys.executable, "manage.py", "emq", "counts", "prod/orders", "--as", "admin"],
            cwd=ROOT, capture_output=True, text=True, check=False,
            env=environment(data, DATABASE_URL=empty_url, EMQ_SERVERS=f"prod={server_url}"),
        )  # fmt: skip
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "orders" in listed.stdout
    assert not [name for name in os.listdir(data) if "sqlite" in name]
