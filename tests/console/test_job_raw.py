"""Fields byte by byte."""

from __future__ import annotations

import pytest

from echomq_admin.console import job as view
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from tests.console.rights import user_without
from tests.console.scene import A, text

URL = f"/q/prod/orders/job/{A}/raw"


@pytest.mark.parametrize("name", ["payload", "last_error", "odd\udcff\x00/..", ""])
def test_a_field_of_any_name_and_bytes_comes_as_it_is(scene, browser, name):
    raw = bytes(range(256)) * 40
    wire = name.encode("utf-8", "surrogateescape")
    scene.dead(A)
    scene.store.hset(scene.key(f"job:{A}"), wire, raw)
    answer = browser().get(URL, {"field": to_url(name)})
    assert answer.content == raw
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("attachment; ")


def test_the_name_of_the_file_is_safe_whatever_the_id_is(scene, browser):
    for job_id in ('a"b;\r\nX: y', "..", "../../etc/passwd", "ü" * 500):
        scene.dead(job_id)
        answer = browser().get(f"/q/prod/orders/job/{to_url(job_id)}/raw")
        name = answer["Content-Disposition"].removeprefix("attachment; filename=")
        assert name.strip('"').replace(".", "").replace("-", "").replace("_", "").isalnum()
        assert len(name) < 140
        assert not name.strip('"').startswith(".")


def test_a_field_that_is_not_there_is_a_404_and_so_is_a_name_that_is_none(scene, browser):
    scene.dead(A)
    assert browser().get(URL, {"field": "nope"}).status_code == 404
    assert browser().get(URL, {"field": "~!"}).status_code == 404


def test_a_row_that_is_no_hash_is_not_said_to_lack_the_field(scene, browser):
    scene.dead(A)
    scene.store.set(scene.key("job:JOBs"), "x")
    answer = browser().get("/q/prod/orders/job/JOBs/raw")
    assert answer.status_code == 409
    said = text(answer.content.decode())
    assert "The row of JOBs cannot be read: the key holds another type." in said


@pytest.mark.parametrize("command", ["hget", "hstrlen"])
def test_a_field_that_the_server_refuses_is_not_said_to_be_absent(
    settings, scene, browser, server_port, command
):
    scene.dead(A)
    discovery.discover(servers.server("prod"))
    with user_without(command, settings, scene, server_port):
        answer = browser().get(URL)
    assert answer.status_code == 409
    assert f"no permission to run {command}" in text(answer.content.decode())


def test_what_is_too_long_is_refused_with_a_sentence(scene, browser, monkeypatch):
    monkeypatch.setattr(view, "MOST_RAW", 1_000)
    scene.dead(A, payload="a" * 1_001)
    answer = browser().get(URL)
    assert answer.status_code == 413
    assert "This field of JOB0KHTOWnGLuA is 1,001 bytes long" in text(answer.content.decode())
