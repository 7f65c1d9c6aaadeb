"""What is said of a server whose error may have come before or in the middle of a script."""

import pytest
import redis
from redis.exceptions import NoPermissionError, ResponseError

from echomq_admin.fleet import servers
from echomq_admin.operations import services
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.failures import before_sending, refusal
from echomq_admin.operations.services import Call, Trouble, Unreachable
from tests.operations.scenes import A, Q, dead
from tests.valkey import valkey

pytestmark = pytest.mark.django_db
PRESS = Call("requeue", "main", Q, (A,), {A: 3}, op_id="press-1")
MIDWAY = " script: 5f1c, on @user_script:12."
RIGHT = "the console's user there lacks a right"


@pytest.fixture(autouse=True)
def main(settings):
    settings.EMQ_SERVERS = "main=redis://127.0.0.1:1/0"
    yield servers.server("main")
    servers.forget()


@pytest.mark.parametrize("missing", ["xadd", "set", "zrem"])
def test_a_right_that_a_script_lacks_is_named_and_nothing_changed(settings, member, missing):
    with valkey() as port, redis.Redis(port=port) as direct:
        dead(direct)
        words = ("on", ">pw", "~*", "&*", "+@all", f"-{missing}")
        direct.execute_command("ACL", "SETUSER", "looker", *words)
        settings.EMQ_SERVERS = f"main=redis://looker:pw@127.0.0.1:{port}/0"
        with pytest.raises(Trouble) as refused:
            services.perform(member("admin"), PRESS)
        assert direct.exists("emq:{orders}:dead")
    assert refused.value.sentence == (
        f"Server main refused: {RIGHT} ({missing.upper()}). Nothing was changed. "
        "Give it the right by ACL SETUSER."
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            ResponseError(
                "ACL failure in script: User x has no permissions to run the 'xadd' command"
            ),
            f"{RIGHT} (XADD).",
        ),
        (NoPermissionError("No permissions to access a key" + MIDWAY), f"{RIGHT}."),
        (ResponseError("WRONGTYPE Operation against a key" + MIDWAY), "WRONGTYPE"),
        (ResponseError("user_script:3: attempt to index a nil value" + MIDWAY), "nil value"),
    ],
)
def test_an_error_in_the_middle_of_a_script_promises_nothing(main, error, words):
    sentence = refusal(error, ACTIONS["requeue"], main, PRESS).sentence
    assert words in sentence
    assert "is not certain; look at the queue." in sentence
    assert "Nothing was changed" not in sentence
    assert "audit" not in sentence


def test_a_full_memory_stops_a_script_before_its_first_write(main):
    error = redis.exceptions.OutOfMemoryError("command not allowed when used memory" + MIDWAY)
    assert "Nothing was changed." in refusal(error, ACTIONS["requeue"], main, PRESS).sentence


@pytest.mark.parametrize(
    "error", [UnicodeError("label empty or too long"), OverflowError("port must be 0-65535")]
)
def test_an_address_that_cannot_work_is_a_server_out_of_reach(main, error):
    for refused in (
        before_sending(error, main, PRESS),
        refusal(error, ACTIONS["requeue"], main, PRESS),
    ):
        assert type(refused) is Unreachable
        assert "its address cannot work" in refused.sentence
