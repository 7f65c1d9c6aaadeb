"""Addresses: what they open, what they show, and that a password never leaves them."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from echomq_admin.emq import patience
from echomq_admin.emq.connect import connect, target
from tests.fleet.stuck import trickling
from tests.valkey import free_port, valkey

SECRET = "s3cret%21-pass"
PLAIN_SECRET = "s3cret!-pass"


@pytest.fixture(scope="module")
def guarded_port() -> Iterator[int]:
    """A server with a password, and a user who may only read."""
    with valkey() as port:
        with redis.Redis(port=port) as admin:
            admin.config_set("requirepass", PLAIN_SECRET)
            admin.acl_setuser(
                "viewer", enabled=True, passwords=[f"+{PLAIN_SECRET}"], keys=["*"],
                categories=["+@read"], commands=["+time", "+ping"],
            )  # fmt: skip
        yield port


def _opened(url: str) -> redis.Redis:
    return connect(url)


def test_a_client_never_decodes(server_url: str, client: redis.Redis) -> None:
    client.set("key", b"\xff")
    with _opened(server_url) as opened:
        assert opened.get("key") == b"\xff"
        assert opened.client_getname() in (b"echomq-admin", "echomq-admin")


def test_nothing_is_sent_before_the_first_command() -> None:
    _opened(f"redis://127.0.0.1:{free_port()}/0")


def test_the_database_is_chosen_by_path_or_option(server_port: int, client: redis.Redis) -> None:
    base = f"redis://127.0.0.1:{server_port}"
    for url, number in ((base, 0), (base + "/", 0), (base + "/3", 3), (base + "?db=4", 4)):
        with _opened(url) as opened:
            opened.set("key", number)
            assert opened.client_info()["db"] == number


def test_a_password_and_a_user_are_taken_from_the_address(guarded_port: int) -> None:
    with _opened(f"redis://:{SECRET}@127.0.0.1:{guarded_port}/0") as opened:
        assert opened.ping()
    with _opened(f"redis://viewer:{SECRET}@127.0.0.1:{guarded_port}/0") as opened:
        assert opened.time()
        with pytest.raises(redis.exceptions.NoPermissionError):
            opened.set("key", 1)


def test_a_unix_socket_is_opened(tmp_path: Path) -> None:
    socket = tmp_path / "valkey.sock"
    with valkey("--unixsocket", str(socket)), _opened(f"unix://{socket}?db=2") as opened:
        assert opened.client_info()["db"] == 2


def test_a_secure_address_speaks_tls() -> None:
    pool = _opened("rediss://cache.example:6380/1").connection_pool
    assert issubclass(pool.connection_class, redis.SSLConnection)
    assert pool.connection_kwargs["port"] == 6380


def test_the_options_of_an_address_name_and_bound_the_client(server_url: str) -> None:
    url = server_url + "?client_name=desk-7&pool=2&read_ms=50&connect_ms=70"
    with _opened(url) as opened:
        pool = opened.connection_pool
        assert opened.client_info()["name"] == "desk-7"
        assert pool.max_connections == 2
        assert pool.connection_kwargs["socket_timeout"] == 0.05
        assert pool.connection_kwargs["socket_connect_timeout"] == 0.07


def test_a_pool_is_bounded_and_a_call_waits_its_turn(server_url: str, client: redis.Redis) -> None:
    with _opened(server_url + "?client_name=crowd&pool=3") as opened:
        threads = [
            threading.Thread(target=lambda: [opened.ping() for _ in range(50)]) for _ in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(each["name"] == "crowd" for each in client.client_list()) <= 3


def test_a_silent_server_is_given_up_after_read_ms_and_not_asked_again(
    server_url: str, client: redis.Redis
) -> None:
    with _opened(server_url + "?read_ms=50") as opened:
        opened.ping()
        client.config_resetstat()
        client.client_pause(300, all=True)
        with pytest.raises(redis.exceptions.TimeoutError):
            opened.incr("key")
        client.client_unpause()
    assert int(client.get("key") or 0) <= 1


def test_an_answer_that_trickles_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "LEAST_S", 0.3)
    with trickling() as port, _opened(f"redis://127.0.0.1:{port}?read_ms=100") as opened:
        started = time.monotonic()
        with pytest.raises(redis.exceptions.TimeoutError):
            opened.ping()
        assert time.monotonic() - started < 20


def test_a_server_that_is_down_is_a_connection_error() -> None:
    with (
        _opened(f"redis://:{SECRET}@127.0.0.1:{free_port()}/0") as opened,
        pytest.raises(redis.exceptions.ConnectionError) as trouble,
    ):
        opened.ping()
    _keeps_the_secret(trouble.value)


def test_a_wrong_password_is_refused_without_telling_it(guarded_port: int) -> None:
    with (
        _opened(f"redis://:wrong-{SECRET}@127.0.0.1:{guarded_port}/0") as opened,
        pytest.raises(redis.exceptions.AuthenticationError) as trouble,
    ):
        opened.ping()
    _keeps_the_secret(trouble.value)


def _keeps_the_secret(trouble: BaseException) -> None:
    told = "".join(traceback.format_exception(trouble)) + repr(trouble)
    assert SECRET not in told.replace(__file__, "")
    assert PLAIN_SECRET not in told


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"redis://:{SECRET}@cache.example", "redis://cache.example:6379/0"),
        (f"redis://user:{SECRET}@cache.example:6400/5?pool=2", "redis://cache.example:6400/5"),
        (f"rediss://user:{SECRET}@[::1]:6380/", "rediss://[::1]:6380/0"),
        ("redis://localhost", "redis://localhost:6379/0"),
        (f"unix://user:{SECRET}@/run/valkey.sock?db=2", "unix:///run/valkey.sock"),
    ],
)
def test_people_see_where_but_not_who(url: str, shown: str) -> None:
    assert target(url) == shown


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{SECRET}@cache.example",
        f"user:{SECRET}@cache.example",
        f"redis://user:{SECRET}@cache.example/abc",
        f"redis://user:{SECRET}@cache.example:port/0",
        f"redis://user:{SECRET}@cache.example:99999/0",
        f"redis://user:{SECRET}@cache.example/0?pool=0",
        f"redis://user:{SECRET}@cache.example/0?pool=many",
        f"redis://user:{SECRET}@cache.example/0?read_ms=-5",
        f"redis://user:{SECRET}@cache.example/0?password={SECRET}",
        f"redis://user:{SECRET}@cache.example/0?decode_responses=1",
        f"redis://user:{SECRET}@cache..example:1",
        f"redis://user:{SECRET}@{'a' * 64}.example",
        f"redis://user:{SECRET}@cache%20example",
        f"redis://user:{SECRET}@cache.example?connect_ms=99999999999999999999999",
        f"redis://user:{SECRET}@cache.example?read_ms=3600001",
        f"redis://user:{SECRET}@cache.example?pool={'9' * 5000}",
        f"redis://user:{SECRET}@cache.example?db=2147483648",
        f"redis://user:{SECRET}@cache.example/{'9' * 400}",
        f"redis://user:{SECRET}[@cache.example/0",
        f"redis://user:{SECRET}/x@cache.example/0",
        "unix://",
        "",
    ],
)
def test_a_bad_address_is_refused_in_a_sentence_that_tells_no_password(url: str) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+") as refusal:
        connect(url)
    told = "".join(traceback.format_exception(refusal.value, chain=True))
    lines = [line for line in told.splitlines() if not line.startswith("    ")]
    assert SECRET not in "\n".join(lines)
    assert PLAIN_SECRET not in "\n".join(lines)


def test_a_client_shows_no_password() -> None:
    opened = _opened(f"redis://user:{SECRET}@cache.example/0")
    for text in (repr(opened), str(opened), repr(opened.connection_pool)):
        assert SECRET not in text
        assert PLAIN_SECRET not in text
