"""Answers where the console itself is in the way: its own database, or a request it cannot take.

Their pages read nothing, so they can be shown whatever is broken.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.conf import settings
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from echomq_admin.console.htmx import say
from echomq_admin.fleet import own_database
from echomq_admin.fleet.names import shown

_BY_CONSOLE = "The queues and the workers are not touched by it."
_LOCKED = "Another process holds it. Try again in a moment."
_FILE = (
    "See that the folder of EMQ_DATA is the right one, that it can be written to and its disk is "
    "not full; after an update run manage.py migrate."
)
_SERVER = (
    "See that DATABASE_URL is the right one, that its server runs and its disk is not full; the "
    "log of the console says more. After an update run manage.py migrate."
)

logger = logging.getLogger(__name__)


class Sessions(SessionMiddleware):
    """Sessions whose loss to a database in trouble is told as that, not as a wrong request."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            return super().process_response(request, response)
        except DatabaseError as error:
            return no_database(request, error)
        except SessionInterrupted as error:
            trouble = [one for one in _causes(error) if isinstance(one, DatabaseError)]
            if not trouble:
                raise
            return no_database(request, trouble[0])


def no_database(request: HttpRequest, error: Exception) -> HttpResponse:
    """The answer to a request in which the console's own database failed."""
    broken = _SERVER if own_database.is_postgresql() else _FILE
    helps = _LOCKED if own_database.is_busy(error) else broken
    said = own_database.said(error)
    logger.error("the console's own database cannot be used: %s", shown(str(error)))
    sentence = f"The console’s own database cannot be used: {said}. {helps}"
    if request.method == "POST":
        # A press may have come further than to this failure.
        sentence += " Whether what was pressed was done is not certain: look before pressing again."
    return _answer(request, 503, "The console’s own database failed", sentence)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's answer to what it does not take, with the reason."""
    if isinstance(exception, RequestDataTooBig):
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        sentence = f"The form is larger than the {most:,} bytes that the console takes."
        return _answer(request, 413, "Too large", f"{sentence} Nothing was changed.")
    if isinstance(exception, TooManyFieldsSent):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        sentence = f"The form names more than the {most:,} things that the console takes."
        return _answer(request, 413, "Too large", f"{sentence} Nothing was changed.")
    sentence = "The console could not read this request."
    if isinstance(exception, DisallowedHost):
        sentence += " The address by which it was asked is not among EMQ_HOSTS: list it there."
    return _answer(request, 400, "Not understood", sentence)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _answer(request: HttpRequest, status: int, title: str, sentence: str) -> HttpResponse:
    if getattr(request, "htmx", None):
        return say(sentence, status)
    context = {"title": title, "sentence": sentence, "about": _BY_CONSOLE if status == 503 else ""}
    # Without the request no context of the frame is built, which would read the database.
    return render(None, "broken.html", context, status=status)
