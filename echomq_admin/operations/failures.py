"""What a verb or a server raised becomes a refusal with a sentence: what happened, what to do."""

from __future__ import annotations

import re

import redis
from redis.exceptions import (
    AskError,
    AuthorizationError,
    BusyLoadingError,
    ClusterCrossSlotError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    TryAgainError,
)

from echomq_admin.emq import EmqError, EmqKind, EmqReplay, EmqStale, EmqState, Gone
from echomq_admin.emq.calls import LEASES
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import TROUBLE, Server, masked, trouble
from echomq_admin.operations import looks
from echomq_admin.operations.action import MANY, Action
from echomq_admin.operations.calls import Call
from echomq_admin.operations.refusals import Invalid, Refused, Trouble, Unreachable

FAILURES = (EmqError, ValueError, *TROUBLE)
# Errors that close the connection, though the server did answer.
_ANSWERED = (BusyLoadingError, redis.AuthenticationError, AuthorizationError)
_SILENCE = (redis.ConnectionError, redis.TimeoutError, OSError, UnicodeError, OverflowError)
_CLASSES = (
    (ReadOnlyError, "READONLY"),
    (NoPermissionError, "NOPERM"),
    (OutOfMemoryError, "OOM"),
    (BusyLoadingError, "LOADING"),
    (redis.AuthenticationError, "NOAUTH"),
    (AuthorizationError, "NOAUTH"),
    (MasterDownError, "MASTERDOWN"),
    (ClusterDownError, "CLUSTERDOWN"),
    (ClusterCrossSlotError, "CROSSSLOT"),
    (TryAgainError, "TRYAGAIN"),
    (MovedError, "MOVED"),
    (AskError, "ASK"),
)
_ERRORS = {
    "READONLY": ("it is a read-only replica", "Act on its primary, or wait for the failover."),
    "NOPERM": ("the console's user there lacks a right", "Give it the right by ACL SETUSER."),
    "OOM": ("its memory is full", "Free memory or raise maxmemory."),
    "LOADING": ("it is loading its data", "Wait until it is ready."),
    "BUSY": ("it is busy with a script", "Wait, or end that script on the server."),
    "MISCONF": ("it cannot save to its disk", "See the server's log."),
    "NOREPLICAS": ("too few of its replicas are in reach", "Wait until they are back."),
    "CLUSTERDOWN": ("its cluster is down", "Wait until the cluster has all its slots."),
    "MASTERDOWN": ("its primary is down", "Wait for the failover."),
    "TRYAGAIN": ("its cluster is moving the queue's slot", "Wait until the move is over."),
    "MOVED": ("another node of its cluster holds the queue", "Name that node in EMQ_SERVERS."),
    "ASK": ("its cluster is moving the queue's slot", "Wait until the move is over."),
    "CROSSSLOT": ("the queue's keys lie on several slots", "Such a queue is read-only there."),
    "NOAUTH": ("it does not accept the console's user", "Correct the user in EMQ_SERVERS."),
    "WRONGTYPE": ("a key of the queue has a wrong type", "Look at the keys of the queue."),
}
_LONGEST = 300
_UNCERTAIN = "What was changed before it is not certain; look at the queue."
# A script runs into these only before its first write; into all others it may run midway.
_BEFORE_WRITING = {"READONLY", "OOM", "MISCONF", "NOREPLICAS"}
_MIDWAY = re.compile(r"\buser_script\b|\bin script\b")
_RIGHT = re.compile(r"may not run (\w+)|permissions to run the '([\w|]+)'")
_NOT_ACTIVE = (" is not active", " is not active, its lease has ended")


def in_step(call: Call) -> str:
    """The words that bound a "nothing was changed" to the step that failed, behind the first."""
    return " in this step" if call.step else ""


def before_sending(error: Exception, server: Server, call: Call) -> Refused:
    """The refusal when the server could not even be asked what it is."""
    kind = Unreachable if _is_silence(error) else Trouble
    why = trouble(server, error, "could not be asked")
    return kind(f"{why} Nothing was sent, so nothing was changed{in_step(call)}.")


def refusal(error: Exception, action: Action, server: Server, call: Call) -> Refused:
    """The refusal for what the verb raised."""
    if isinstance(error, EmqError):
        return Refused(_protocol(error, action, server, call))
    if isinstance(error, ValueError) and not isinstance(error, TROUBLE):
        return Invalid(f"{action.label} was refused: {error}.")
    if _is_silence(error):
        if _never_left(error, call):
            return before_sending(error, server, call)
        return Unreachable(
            f"{trouble(server, error, f'did not answer this {action.label.lower()}')} Whether "
            f"anything was moved is not known. Press {action.label} again: nothing moves twice."
        )
    return Trouble(_server_error(error, server, call))


def _is_silence(error: Exception) -> bool:
    silent = isinstance(error, _SILENCE)
    return silent and not isinstance(error, _ANSWERED)


def _never_left(error: Exception, call: Call) -> bool:
    """Whether there was no connection to send the call by. redis-py tells so by its words only.

    A call of several scripts may have sent some of them before.
    """
    limit = int(str(call.args.get("limit", 0)))
    is_one_script = len(call.job_ids) <= MANY and limit <= LEASES
    return is_one_script and "connecting to" in str(error)


def _protocol(error: EmqError, action: Action, server: Server, call: Call) -> str:
    job = shown(call.job_ids[0]) if call.job_ids else ""
    if isinstance(error, EmqReplay):
        return (
            f"This form was sent before, for another action. {_nothing(call)} "
            "Open the page again and repeat."
        )
    if isinstance(error, EmqKind):
        return f"{job} was not written: the id of a job starts with JOB."
    if isinstance(error, Gone):
        return f"{job} is gone: it finished or was removed. Nothing was changed. Reload the page."
    if isinstance(error, EmqStale):
        return (
            f"{job} changed meanwhile: its attempts are no longer "
            f"{call.tokens.get(call.job_ids[0])}, "
            "it was claimed since. Nothing was changed. Reload the page and look again."
        )
    if isinstance(error, EmqState):
        return _state(str(error), action, server, call)
    return f"The server refused: {_short(error)}. {_unchanged(server, call)}"


def _state(text: str, action: Action, server: Server, call: Call) -> str:
    job, queue = shown(next(iter(call.job_ids), "")), shown(call.queue)
    if action.verb == "obliterate" and text == "not paused":
        return (
            f"Queue {queue} is not paused, so nothing was deleted{in_step(call)}. Pause it first."
        )
    if action.verb == "obliterate" and text.startswith("active jobs"):
        return (
            f"Queue {queue} has active jobs, so nothing was deleted{in_step(call)}. "
            "Wait until they end, or obliterate it by force."
        )
    if text.endswith(_NOT_ACTIVE):
        return (
            f"{job} is not active: it ended, or its lease was taken back. "
            "Nothing was changed. Reload the page."
        )
    if text == "the payload of the job changed meanwhile":
        return (
            f"The payload of {job} was changed meanwhile: it is not the one that was shown. "
            "Nothing was changed. Look at it as it is now before you repeat it."
        )
    if text.endswith(" is unreadable"):
        return (
            f"{job} is unreadable: its row is no hash or its attempts are no number. "
            "Nothing was changed. Repair the row, or remove the job."
        )
    return f"{action.label} was refused: {_short(text)}. {_unchanged(server, call)}"


def _server_error(error: Exception, server: Server, call: Call) -> str:
    text = masked(server, str(error))
    word = _word(error, text)
    is_midway = word not in _BEFORE_WRITING and _MIDWAY.search(text) is not None
    changed = _UNCERTAIN if is_midway else _unchanged(server, call)
    if word == "NOPERM":
        what, remedy = _ERRORS[word]
        return f"Server {server.name} refused: {what}{_right(text)}. {changed} {remedy}"
    if word in _ERRORS and not is_midway:
        what, remedy = _ERRORS[word]
        return f"Server {server.name} refused: {what}. {changed} {remedy}"
    return f"Server {server.name} answered with an error: {_short(text)}. {_UNCERTAIN}"


def _right(text: str) -> str:
    """The command that a user may not run, where the error names it."""
    found = _RIGHT.search(text)
    return f" ({(found[1] or found[2]).upper()})" if found else ""


def _word(error: Exception, text: str) -> str:
    """The code of a server's error; redis-py takes some of them off and makes classes of them."""
    for kind, word in _CLASSES:
        if isinstance(error, kind):
            return word
    return "NOPERM" if text.startswith("ACL failure in script") else text.partition(" ")[0]


def _unchanged(server: Server, call: Call) -> str:
    """A verb on many jobs is several scripts; those before the one that failed are done."""
    is_one_script = len(call.job_ids) <= 1 and "limit" not in call.args
    if is_one_script or looks.is_begun(server, call) is False:
        return _nothing(call)
    return (
        "Blocks of it that went before may have moved; repeating it with the same form "
        f"(op_id {call.op_id}) does the rest."
    )


def _nothing(call: Call) -> str:
    return f"Nothing was changed{in_step(call)}."


def _short(text: object) -> str:
    return shown(str(text))[:_LONGEST]
