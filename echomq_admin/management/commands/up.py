"""Everything at one command: database, agent, web server, and the demo when no server is named."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error as DatabaseError

from echomq_admin.demo import embedded
from echomq_admin.demo.roles import ROLES
from echomq_admin.fleet import patterns, servers
from echomq_admin.startup.children import Child, Family, end_with_parent
from echomq_admin.startup.door import listen, reachable
from echomq_admin.startup.errors import CannotGoOn
from echomq_admin.startup.leaving import left
from echomq_admin.startup.lock import take
from echomq_admin.startup.sign_in import sign_in
from echomq_admin.startup.stop import Stop

LOOK_S = 1.0
# Each thread would have a heap of its own, and keep what its largest page took.
ARENAS = "1"


class Command(BaseCommand):
    help = (
        "Run the console, its agent and, while EMQ_SERVERS is empty, a demo with a Valkey of "
        "its own. Ctrl-C stops all of it."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--with-parent",
            action="store_true",
            help="Stop when the process that started this one ends, however it ends.",
        )

    def handle(self, *_: Any, with_parent: bool, **__: Any) -> None:
        if with_parent:
            end_with_parent(signal.SIGTERM, os.getppid())
        stop = Stop()
        try:
            _check_settings()
            with _alone(settings.DATA_DIR), contextlib.closing(_socket()) as door:
                self._run(stop, door)
        except CannotGoOn as reason:
            self.stderr.write(str(reason))
            sys.exit(1)

    def _run(self, stop: Stop, door: socket.socket) -> None:
        """Start all, keep all, stop all; the embedded server first and last."""
        logs = settings.DATA_DIR / "log"
        logs.mkdir(exist_ok=True)
        address = reachable(door)
        with (
            Family(settings.BASE_DIR, logs, self._say) as ground,
            _demo(ground) as url,
            Family(settings.BASE_DIR, logs, self._say) as house,
        ):
            self._furnish(house, url, door)
            welcome = sign_in(settings.DATA_DIR / "sign-in")
            while not (stop.wait(0.05) or _answers(address)):
                house.watch()
            if not stop.asked:
                self._welcome(address, welcome, url)
            while not stop.wait(LOOK_S):
                ground.watch()
                house.watch()
            self._say(f"Stopping: {stop.by.name}.")

    def _furnish(self, house: Family, url: str, door: socket.socket) -> None:
        """Bring the database up to date and start the children, who take the door along."""
        try:
            call_command("migrate", verbosity=0)
        except DatabaseError as error:
            said = " ".join(str(error).split())
            raise CannotGoOn(f"The console's database cannot be used: {said}") from error
        for child in _children(url, door):
            house.start(child)
        door.close()

    def _welcome(self, address: tuple[str, int], welcome: str, url: str) -> None:
        host, port = address
        shown = f"[{host}]" if ":" in host else host
        prefix = settings.FORCE_SCRIPT_NAME or ""
        about = f"The demo's Valkey is {url}" if url else f"Servers: {', '.join(_targets())}"
        self._say(
            f"EchoMQ Admin runs at http://{shown}:{port}{prefix}/\n{welcome}\n{about}\n"
            f"Logs are in {settings.DATA_DIR / 'log'}; Ctrl-C stops everything."
        )

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


@contextlib.contextmanager
def _demo(ground: Family) -> Iterator[str]:
    """The demo's server, its address left for other commands; "" when servers are named."""
    if not settings.EMQ_DEMO:
        settings.DEMO_SERVERS.unlink(missing_ok=True)
        yield ""
        return
    url = embedded.start(ground, settings.DATA_DIR / "valkey")
    with left(settings.DEMO_SERVERS, f"demo={url}"):
        yield url


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the one lock of a data folder."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = take(folder / "up.lock")
    if lock is None:
        raise CannotGoOn(
            f"It runs already on the data in {folder}. Stop that one first, "
            "or choose another folder with EMQ_DATA and another port with EMQ_PORT."
        )
    try:
        yield
    finally:
        os.close(lock)


def _check_settings() -> None:
    try:
        patterns.patterns()
        if not settings.EMQ_DEMO:
            servers.servers()
    except ValueError as error:
        raise CannotGoOn(str(error)) from error


def _socket() -> socket.socket:
    """The web server's socket, bound before anything else starts."""
    host, text = os.environ.get("EMQ_HOST") or "127.0.0.1", os.environ.get("EMQ_PORT") or "8000"
    if not (text.isdecimal() and 0 <= int(text) < 65536):
        raise CannotGoOn(f"EMQ_PORT is {text!r}; it must be a number below 65536.")
    try:
        return listen(host, int(text))
    except OSError as error:
        raise CannotGoOn(
            f"Port {text} of {host} cannot be used ({error.strerror}). "
            "Choose another: make run EMQ_PORT=8001"
        ) from error


def _children(url: str, door: socket.socket) -> Iterator[Child]:
    """The processes above the embedded server: web first, because people wait for it."""
    env = {"MALLOC_ARENA_MAX": ARENAS, **os.environ}
    env["EMQ_DATA"] = str(Path(settings.DATA_DIR).resolve())
    if url:
        env["EMQ_SERVERS"] = f"demo={url}"
    python = [sys.executable, "-u"]
    web = [*python, "-m", "echomq_admin.startup.web", str(door.fileno())]
    yield Child("web", web, env, restarts=False, pass_fds=[door.fileno()])
    yield Child("agent", [*python, "manage.py", "agent"], env)
    for role in ROLES if url else ():
        yield Child(
            role, [*python, "-m", "echomq_admin.demo", role, f"{url}?client_name={role}"], env
        )


def _answers(address: tuple[str, int]) -> bool:
    connection = http.client.HTTPConnection(*address, timeout=1)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def _targets() -> list[str]:
    return [f"{server.name} ({server.target})" for server in servers.servers()]
