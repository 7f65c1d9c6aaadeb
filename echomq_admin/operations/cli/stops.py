"""Exit codes, and the one exception that ends the command early."""

from __future__ import annotations

from django.db import Error as DatabaseError

from echomq_admin.fleet import own_database
from echomq_admin.operations.refusals import Invalid, NotAllowed, ReadOnly, Refused, Trouble

DONE, SOME_REFUSED, USAGE, SERVER = 0, 1, 2, 3


class Usage(Exception):
    """What was typed cannot be meant; its text is a sentence. The command exits with 2."""


def exit_code(refused: Refused) -> int:
    """1 when the protocol refused, 2 for usage and permission, 3 for server trouble."""
    if isinstance(refused, Invalid | NotAllowed | ReadOnly):
        return USAGE
    return SERVER if isinstance(refused, Trouble) else SOME_REFUSED


# What a database raises that is not there, or that lacks the tables of this release.
NO_DATABASE = (DatabaseError,)


def no_database(error: Exception) -> str:
    """The sentence for one of `NO_DATABASE`."""
    if own_database.is_busy(error):
        return "The console's database is locked by another process. Try again."
    helps = (
        "Is DATABASE_URL that of the running console, and does its server run?"
        if own_database.is_postgresql()
        else "Is EMQ_DATA set to the folder of the running console?"
    )
    return (
        f"The console's database cannot be used ({own_database.said(error)}). {helps} After an "
        "update run manage.py migrate."
    )


class ServerFailed(Exception):
    """A read got no answer; its text is a sentence. The command exits with 3."""
