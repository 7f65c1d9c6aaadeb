"""The console's own database: SQLite in its data folder, or what DATABASE_URL names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

# A connection that is asked for waits so long for the server; a statement runs so long at most, a
# lock is waited for so long, and an open transaction may be idle so long: seconds.
CONNECT_S, STATEMENT_S, LOCK_S, IDLE_S = 5, 60, 10, 60
# A thread keeps its connection for so long, and looks at the beginning of a request if it still is.
KEEP_S = 600
SCHEMES = ("postgresql", "postgres")
_HELP = (
    "DATABASE_URL is postgresql://user:password@host:5432/name, with each of : / ? # [ ] @ % in "
    "user and password written as %3A, %2F and so on"
)


def database(url: str, folder: Path) -> dict[str, object]:
    """What Django is told of it, for `DATABASES`. Raises `ImproperlyConfigured` with a sentence
    that quotes nothing of the address, which may be a password."""
    return _postgresql(url.strip()) if url.strip() else _sqlite(folder)


def _sqlite(folder: Path) -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": folder / "console.sqlite3",
        "OPTIONS": {
            "timeout": 10,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


def _postgresql(url: str) -> dict[str, object]:
    found = _parsed(url)
    options = found.setdefault("OPTIONS", {})
    limits = {
        "statement_timeout": STATEMENT_S,
        "lock_timeout": LOCK_S,
        "idle_in_transaction_session_timeout": IDLE_S,
    }
    ours = " ".join(f"-c {name}={seconds}s" for name, seconds in limits.items())
    # What the address says itself stands behind, and so wins.
    options["options"] = f"{ours} {options.get('options', '')}".rstrip()
    options.setdefault("connect_timeout", CONNECT_S)
    options.setdefault("application_name", "echomq-admin")
    _check(options)
    return found


def _parsed(url: str) -> dict[str, object]:
    try:
        scheme = urlsplit(url).scheme
        if scheme not in SCHEMES:
            raise ImproperlyConfigured(f"{_HELP}. It begins with another word than postgresql.")
        found = dj_database_url.parse(url, conn_max_age=KEEP_S, conn_health_checks=True)
    except ValueError:
        raise ImproperlyConfigured(f"{_HELP}. What it is cannot be read.") from None
    name = str(found["NAME"])
    if not name:
        raise ImproperlyConfigured(f"{_HELP}. It names no database.")
    has_nul = any("\0" in str(found[part]) for part in ("USER", "PASSWORD", "HOST", "NAME"))
    if has_nul or set(name) & set("/@:") or urlsplit(url).fragment:
        raise ImproperlyConfigured(f"{_HELP}. What it is cannot be read.")
    return dict(found)


def _check(options: dict[str, object]) -> None:
    from psycopg import ProgrammingError  # noqa: PLC0415
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415

    try:
        make_conninfo(**options)
    except ProgrammingError:
        raise ImproperlyConfigured(
            f"{_HELP}. Behind the question mark it has a parameter that PostgreSQL does not know."
        ) from None
