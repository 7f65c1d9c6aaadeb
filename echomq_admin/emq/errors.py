"""What the protocol refuses, as exceptions. Connection trouble stays redis-py's own."""

from __future__ import annotations

from redis.exceptions import ResponseError


class EmqError(Exception):
    """A refusal of the protocol; its text is a sentence for a person."""


class EmqKind(EmqError):
    """The id is not of the namespace that the verb admits."""


class EmqStale(EmqError):
    """The token is not the job's current one: another claim owns it now."""


class EmqState(EmqError):
    """The job or the queue is not in the state that the verb needs."""


class EmqReplay(EmqError):
    """The op_id already names a call of another verb."""


class Gone(EmqError):
    """The job has no row."""


WORDS: dict[str, type[EmqError]] = {
    "EMQKIND": EmqKind,
    "EMQSTALE": EmqStale,
    "EMQSTATE": EmqState,
    "EMQREPLAY": EmqReplay,
    "EMQGONE": Gone,
}


def translate(error: ResponseError) -> EmqError | None:
    """The exception of a script's `EMQ…` reply, or `None` when the error is another's."""
    text = str(error)
    word, _, rest = text.partition(" ")
    if not word.startswith("EMQ"):
        return None
    kind = WORDS.get(word)
    return kind(rest) if kind else EmqError(text)
