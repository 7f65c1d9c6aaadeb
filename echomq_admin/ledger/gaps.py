"""The account of a stream: what is copied, held against what the server says was ever written.

Nothing here asks a server or writes. The server counts every entry that a stream ever held, also
those that are trimmed or deleted since; so what was gone before it was copied is known in number.
"""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.emq.audit import place
from echomq_admin.emq.audit_news import NONE, Piece, Stream


@dataclass(frozen=True)
class Mark:
    """How far a stream is copied, as in `Copied`."""

    last_id: str = NONE
    whole_id: str = NONE
    added: int | None = 0


@dataclass(frozen=True)
class Missing:
    """Entries that are gone, as in `Gap`."""

    after_id: str
    before_id: str
    count: int | None
    sentence: str


@dataclass(frozen=True)
class Account:
    """The mark once a piece is copied, and what was missing. `is_anew`: the piece is of another
    stream than the mark; nothing of it is to be copied yet, the mark begins anew."""

    mark: Mark
    missing: Missing | None = None
    is_anew: bool = False


_ANEW = Mark(added=None)
_REMEDY = "Keep the agent running: it copies every two seconds."


def account(mark: Mark, piece: Piece) -> Account:
    """What the mark becomes by a piece that was read behind it."""
    stream = piece.stream
    if stream and is_replaced(mark, stream):
        return _replaced(mark.last_id, stream)
    last = piece.entries[-1].entry.entry_id if piece.entries else mark.last_id
    added = None if mark.added is None else mark.added + len(piece.entries)
    if not _reaches_end(piece, last):
        return Account(Mark(last, mark.whole_id, added))
    if stream is None or stream.added is None:
        return Account(Mark(last, last, None), _trimmed(mark, stream))
    # What was added last may be deleted again: there is nothing behind `last` up to it.
    last = max(last, stream.last_id, key=place)
    # What came between the two reads of the piece is not in the server's number.
    late = sum(place(raw.entry.entry_id) > place(stream.last_id) for raw in piece.entries)
    now = stream.added + late
    if added is not None and now < added:
        return _replaced(mark.whole_id, stream)
    settled = Mark(last, last, now)
    if added is None or now == added:
        return Account(settled)
    return Account(settled, _lost(mark, stream, last, now - added))


def is_replaced(mark: Mark, stream: Stream) -> bool:
    """Whether the stream ends before what was copied of it: it was deleted, or is an older one."""
    return place(stream.last_id) < place(mark.last_id)


def _reaches_end(piece: Piece, last: str) -> bool:
    return piece.is_end or (piece.stream is not None and place(last) >= place(piece.stream.last_id))


def _replaced(after_id: str, stream: Stream) -> Account:
    said = (
        "The audit stream was deleted, or its server came back with older data. What was written "
        "to it after the last entry that is copied, if anything was, is lost."
    )
    behind = stream.first_id if place(stream.first_id) > place(after_id) else ""
    return Account(_ANEW, Missing(after_id, behind, None, said), is_anew=True)


def _lost(mark: Mark, stream: Stream, last: str, count: int) -> Missing:
    """Where an account does not come out: what was trimmed lay in front of the oldest entry, what
    was deleted at the last such id at most."""
    before = max(stream.first_id, stream.deleted_id, key=place)
    what = "1 entry was" if count == 1 else f"{count:,} entries were"
    return Missing(
        mark.whole_id,
        before if place(before) > place(mark.whole_id) else last,
        count,
        f"{what} trimmed or deleted from the audit stream before the console copied what it "
        f"held. {_REMEDY}",
    )


def _trimmed(mark: Mark, stream: Stream | None) -> Missing | None:
    """Of a server that does not count: the entries that are kept in a stream are gone from it."""
    if stream is None or NONE in (mark.whole_id, stream.first_id):
        return None
    if place(stream.first_id) <= place(mark.whole_id):
        return None
    said = (
        "Entries may have been trimmed or deleted from the audit stream before the console "
        f"copied them. {_REMEDY}"
    )
    return Missing(mark.whole_id, stream.first_id, None, said)
