"""The application of the console, at the path of its host that EMQ_PREFIX names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def mounted() -> Application:
    """The console, below its prefix if it has one."""
    console = keeping(get_wsgi_application())
    prefix = settings.FORCE_SCRIPT_NAME
    return below(prefix, console) if prefix else console


def keeping(served: Application) -> Application:
    """The application with the path as it came: Django spells its foreign bytes in ASCII, and then
    they cannot be told from percent signs."""

    def kept(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        return served(environ | {"echomq_admin.path": environ.get("PATH_INFO", "")}, start)

    return kept


def below(prefix: str, served: Application) -> Application:
    """The application at `prefix` ("/ops"), whether or not what stands before it takes it off."""

    def stripped(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == prefix or path.startswith(f"{prefix}/"):
            environ = environ | {"PATH_INFO": path[len(prefix) :] or "/"}
        return served(environ, start)

    return stripped
