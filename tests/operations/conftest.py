"""A server called `main`, the four kinds of users, and the command as a terminal sees it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import redis
from django.contrib.auth.models import Group, User
from django.core.management import call_command

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import servers
from echomq_admin.operations import services
from echomq_admin.operations.services import Call, Done, Refused
from tests.operations.scenes import Q


@pytest.fixture
def emq(client: redis.Redis) -> EchoMQ:
    return EchoMQ(client)


@pytest.fixture
def main(settings, server_url: str, db) -> Iterator[None]:
    """EMQ_SERVERS names the emptied server `main`."""
    settings.EMQ_SERVERS = f"main={server_url}"
    yield
    servers.forget()


@pytest.fixture
def member(db) -> Callable[[str], User]:
    """Gives the user of a role; `nobody` is in no group."""

    def make(role: str) -> User:
        user, is_new = User.objects.get_or_create(username=f"{role}-user")
        if is_new and role != "nobody":
            user.groups.add(Group.objects.get(name=role))
        return user

    return make


@pytest.fixture
def viewer(member) -> str:
    return member("viewer").username


@pytest.fixture
def operator(member) -> str:
    return member("operator").username


@pytest.fixture
def admin(member) -> str:
    return member("admin").username


@pytest.fixture
def do(main: None, member) -> Callable[..., Done]:
    """Performs an action of an admin on the queue of the scenes."""

    def perform(action: str, *job_ids: str, tokens=None, queue: str = Q, **args: object) -> Done:
        return services.perform(
            member("admin"), Call(action, "main", queue, job_ids, tokens or {}, args)
        )

    return perform


@pytest.fixture
def refusal(do: Callable[..., Done]) -> Callable[..., Refused]:
    """Performs as `do`, and gives the refusal."""

    def refused(*job_ids: str, **given: object) -> Refused:
        with pytest.raises(Refused) as caught:
            do(*job_ids, **given)
        return caught.value

    return refused


@dataclass(frozen=True)
class Ran:
    """What a terminal would have seen."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        return json.loads(self.out)


@pytest.fixture
def emq_command(main: None) -> Callable[..., Ran]:
    """Runs `manage.py emq` with the words given."""

    def run(*words: str) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        code = 0
        try:
            call_command("emq", *words, stdout=out, stderr=err)
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Ran(code, out.getvalue(), err.getvalue())

    return run


def dump(client: redis.Redis) -> dict[bytes, object]:
    """Every key with its content, to compare before and after."""
    return {key: client.dump(key) for key in sorted(client.keys("*"))}
