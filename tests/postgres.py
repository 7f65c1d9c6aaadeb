"""A PostgreSQL server of the test run, from whatever `tools/postgres.py` finds.

It lives in a temporary folder, listens on a socket in it and nowhere else, and ends with the
process that started it, however that ends.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

import psycopg

from echomq_admin.startup.children import end_with_parent
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parent.parent
PREFIX, OWNER = "echomq-postgres-", "postgres"
# What a crash of the machine would break need not last; and texts are sorted as no byte order does,
# so that what relies on one is found.
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "listen_addresses": "",
}
LOCALE = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"]


def start() -> str:
    """Start a server; its address, as DATABASE_URL has it, of a database that is empty."""
    _tidy()
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    programs = _programs()
    user = _user(folder)
    subprocess.run(
        [f"{programs}/initdb", "--pgdata", folder / "data", "--username", OWNER, "--no-sync",
         "--auth=trust", *LOCALE],
        check=True, stdout=subprocess.DEVNULL, cwd=folder, **user,
    )  # fmt: skip
    _serve(programs, folder, user)
    url = f"postgresql://{OWNER}@/postgres?host={quote(str(folder), safe='')}"
    try:
        wait_for(lambda: _is_ready(url), what="PostgreSQL is not ready")
    except AssertionError:
        raise RuntimeError((folder / "log").read_text(errors="replace")) from None
    return url


def _tidy() -> None:
    """Remove the folders of runs that were killed: each has the number of its process."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        process = folder.name.removeprefix(PREFIX).partition("-")[0]
        if process.isdecimal() and not Path("/proc", process).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _programs() -> str:
    found = subprocess.run(
        [sys.executable, ROOT / "tools" / "postgres.py"], check=True, stdout=subprocess.PIPE
    )
    return found.stdout.decode().strip()


def _user(folder: Path) -> dict[str, object]:
    """PostgreSQL refuses to run as root: then as somebody else, to whom the folder is given."""
    if os.geteuid() != 0:
        return {}
    known = {one.pw_name: one for one in pwd.getpwall()}
    who = known.get("postgres") or known["nobody"]
    os.chown(folder, who.pw_uid, who.pw_gid)
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


def _serve(programs: str, folder: Path, user: dict[str, object]) -> None:
    settings = SETTINGS | {"unix_socket_directories": str(folder)}
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    parent = os.getpid()
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            [f"{programs}/postgres", "-D", folder / "data", *options],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, process_group=0,
            preexec_fn=lambda: end_with_parent(signal.SIGQUIT, parent),  # noqa: PLW1509
            **user,
        )  # fmt: skip
    atexit.register(_end, process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """At once: what is in it is not needed any more."""
    process.send_signal(signal.SIGQUIT)
    process.wait(10)


def _is_ready(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True
