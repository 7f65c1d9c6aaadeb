"""Every action as data: who may, how it is confirmed, what it needs, what it says, where it is.

Addresses, buttons, keys, permission checks, the command line, the documentation and the tests are
derived from `ACTIONS`. What is code of one verb stays where that code is: what a call does to the
server, what its confirmation reads (`console.acting.previews`), what the scripts would answer
(`verdicts`), and when the menu of a queue has a use for it (`console.acting.menu`).
"""

from __future__ import annotations

from echomq_admin.operations import words
from echomq_admin.operations.action import MANY, MAX_JOBS, Action, Consent
from echomq_admin.operations.arguments import Blob, Digest, Flag, Name, Text, Whole
from echomq_admin.operations.housekeeping import BY_ADMINS, BY_OPERATORS
from echomq_admin.operations.operating import GROUP, OPERATING
from echomq_admin.operations.roles import VIEW, Role

__all__ = ["ACTIONS", "MANY", "MAX_JOBS", "VIEW", "Action", "Consent", "Role"]

TEN_YEARS_MS = 315_360_000_000
LAST_MS = 253_402_300_799_999

_FORCE = Flag("force", "Force", "also a job that is active, locked or the child of a flow")
_PAYLOAD = Blob("payload", "Payload", "the payload, opaque bytes", required=True)
_BUDGET = Whole("budget", "Budget", "how many jobs one step deletes", default=1000, high=1000)
_LANE = Name("group", "Lane", "the lane (group) of the job", by_default="in no lane")

_ADMIN = (
    Action(
        verb="bury",
        label="Bury",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="jobs",
        help="Sends jobs to dead with a reason, for poison jobs. An active one only as seen.",
        args=(Text("reason", "Reason", "why; it becomes the job's error", required=True), _FORCE),
        fenced="may",
        needs_yes=True,
        undo="requeue",
        outcomes=words.BURY,
        overrides=("active", "child"),
        ticked_on=("pending", "active", "scheduled"),
        key="b",
    ),
    Action(
        verb="remove",
        label="Remove",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="jobs",
        help="Moves jobs with all they have to the trash; of an id without a row, deletes it.",
        args=(
            _FORCE,
            Name("dedup_id", "Dedup id", "the job's idempotency key, deleted with it (one job)"),
            Flag(
                "unkept",
                "Delete for good, keep nothing in the trash",
                "nothing of the job is kept, and it cannot be restored",
            ),
        ),
        fenced="may",
        needs_yes=True,
        destroys_by="unkept",
        outcomes=words.REMOVE,
        overrides=("active", "locked", "child"),
        ticked_on=("pending", "active", "scheduled", "dead"),
        key="d",
    ),
    Action(
        verb="restore",
        label="Restore",
        role=Role.ADMIN,
        consent=Consent.CLICK,
        target="jobs",
        help="Puts removed jobs of the trash back to where each waited. Attempts are kept.",
        fenced="may",
        max_jobs=MANY,
        creates=True,
        outcomes=words.RESTORE,
    ),
    Action(
        verb="update_payload",
        label="Edit payload",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="job",
        help="Replaces the payload of one job.",
        args=(
            _PAYLOAD,
            Digest("seen", "SHA1 seen", "only if this is the SHA-1 of the payload now, in hex"),
        ),
        fenced="may",
        outcomes=words.UPDATE_PAYLOAD,
    ),
    Action(
        verb="pause_lane",
        label="Pause lane",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="lane",
        help="Workers claim nothing more from one lane. Nothing is moved.",
        args=(GROUP,),
        undo="resume_lane",
    ),
    Action(
        verb="resume_lane",
        label="Resume lane",
        role=Role.ADMIN,
        consent=Consent.CLICK,
        target="lane",
        help="Workers claim from the lane again.",
        args=(GROUP,),
        undo="pause_lane",
    ),
    Action(
        verb="limit_lane",
        label="Limit lane",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="lane",
        help="Sets how many jobs of a lane may be active at once, or takes the limit away.",
        args=(
            GROUP,
            Whole("n", "Jobs at once", "at least 1", required=True, may_be_none=True),
        ),
    ),
    Action(
        verb="drain",
        label="Drain",
        role=Role.ADMIN,
        consent=Consent.TYPE_NAME,
        target="queue",
        help="Deletes every pending job outside of lanes, on request the scheduled ones too.",
        args=(Flag("include_schedule", "Scheduled too", "also the scheduled jobs"), _BUDGET),
        needs_yes=True,
        destroys=True,
        in_steps=True,
    ),
    Action(
        verb="obliterate",
        label="Obliterate",
        role=Role.ADMIN,
        consent=Consent.TYPE_NAME,
        target="queue",
        help="Deletes a paused queue with everything in it; only its audit stays.",
        args=(Flag("force", "Force", "also while jobs are active"), _BUDGET),
        needs_yes=True,
        destroys=True,
        in_steps=True,
    ),
    Action(
        verb="enqueue",
        label="Enqueue",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="job",
        help="Creates a job that waits from now on.",
        args=(_PAYLOAD, _LANE),
        creates=True,
        outcomes=words.ENQUEUE,
        address="",
    ),
    Action(
        verb="schedule",
        label="Schedule",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="job",
        help="Creates a job that waits from an instant on.",
        args=(
            _PAYLOAD,
            Whole("at_ms", "At", "when, unix ms", low=0, high=LAST_MS),
            Whole("in_ms", "In", "ms from now", low=0, high=TEN_YEARS_MS),
        ),
        creates=True,
        outcomes=words.SCHEDULE,
        address="",
    ),
)

ACTIONS: dict[str, Action] = {
    action.verb: action for action in (*OPERATING, *BY_OPERATORS, *_ADMIN, *BY_ADMINS)
}
