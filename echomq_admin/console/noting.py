"""What happens at the pages themselves, put into the trail."""

from __future__ import annotations

import logging

from django.db import Error as DatabaseError
from django.http import HttpRequest

from echomq_admin.console.forms import Selection
from echomq_admin.ledger import notes
from echomq_admin.ledger.models import Kind

# More jobs of a refused attempt need no name: whoever asks can try again as often as they like.
MOST_JOBS = 100

logger = logging.getLogger(__name__)


def note(kind: Kind, op: str, actor: str, sentence: str, **more: object) -> None:
    """Write an entry. A database that does not take it keeps nobody from their work: the log has
    the sentence then."""
    try:
        notes.note(kind, op, actor, sentence, **more)
    except DatabaseError as error:
        logger.error("not in the trail (%s): %s", error, sentence)


def refused(request: HttpRequest, verb: str, sentence: str) -> None:
    """A press of somebody who lacks the role for it."""
    where = request.resolver_match.kwargs if request.resolver_match else {}
    try:
        job_ids = Selection.read(request.POST).job_ids
    except ValueError:
        job_ids = ()
    note(
        Kind.REFUSED,
        verb,
        request.user.get_username(),
        sentence,
        server=str(where.get("server", ""))[:64],
        queue=where.get("queue", ""),
        n=len(job_ids),
        job_ids=job_ids[:MOST_JOBS],
    )
