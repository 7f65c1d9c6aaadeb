"""A store that the console reads as a user who lacks a right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from echomq_admin.fleet import servers
from tests.console.scene import Scene


@contextmanager
def user_without(command: str, settings: Any, scene: Scene, port: int) -> Iterator[None]:
    """The server `prod` is read by a user who may do all but one command."""
    scene.store.acl_setuser(
        "without", enabled=True, nopass=True, keys=["*"], commands=["+@all", f"-{command}"]
    )
    before = settings.EMQ_SERVERS
    try:
        settings.EMQ_SERVERS = f"prod=redis://without:any@127.0.0.1:{port}"
        yield
    finally:
        settings.EMQ_SERVERS = before
        servers.forget()
        scene.store.acl_deluser("without")
