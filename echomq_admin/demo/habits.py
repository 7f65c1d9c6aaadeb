"""The workers of the demo, by what is wrong with them."""

from __future__ import annotations

from echomq_admin.demo.payloads import dice
from echomq_admin.demo.queues import (
    COMMANDS,
    MAILER,
    ORDERS,
    PAYMENTS,
    REPORTS,
    SILENT_ATTEMPTS,
    STORY_LEASE_MS,
    THUMBS,
    WEBHOOKS,
)
from echomq_admin.demo.worker import Habits, Plan, Source
from echomq_admin.emq import Claim

ERRORS: tuple[str | bytes, ...] = (
    "HTTP 503 from hooks.example.org: upstream is down",
    "timeout after 5000 ms",
    "** (Mint.TransportError) connection refused\n"
    "    (webhooks 1.4.0) lib/webhooks/post.ex:41: Webhooks.Post.run/2\n"
    "    (echo_mq 2.4.2) lib/worker.ex:118: EchoMQ.Worker.perform/1",
    "HTTP 410: the receiver is gone\n" + "body: <html><b>Gone</b></html>\n" * 60,
    "certificate has expired: CN=hooks.example.org",
    b"unreadable answer: \x80\x04\x95\xff",
)


def error_of(job_id: str) -> str | bytes:
    """The error that this job runs into, always the same one."""
    return ERRORS[dice(job_id, len(ERRORS))]


def _fast(claim: Claim) -> Plan:
    return Plan(work_s=0.7 + dice(claim.job_id, 12) / 10)


def _slow(claim: Claim) -> Plan:
    return Plan(work_s=35 + dice(claim.job_id, 30))


def _dying(claim: Claim) -> Plan:
    """Silence, until an operator has seen the job through its stalls; then a plain success."""
    return Plan(work_s=4, silent=claim.attempts <= SILENT_ATTEMPTS)


def _failing(claim: Claim) -> Plan:
    fate = dice(f"{claim.job_id}{claim.attempts}", 10)
    if fate == 0:
        return Plan(silent=True)
    return Plan(work_s=0.6, error=error_of(claim.job_id) if fate < 7 else None)


def _lanes(claim: Claim) -> Plan:
    silent = claim.attempts == 1 and dice(claim.job_id, 15) == 0
    return Plan(work_s=3 + dice(claim.job_id, 6), silent=silent)


def _mail(claim: Claim) -> Plan:
    refused = dice(f"{claim.job_id}{claim.attempts}", 5) == 0
    return Plan(work_s=1.5, error="421 too many mails, try again later" if refused else None)


def _bots(claim: Claim) -> Plan:
    deaf = dice(claim.job_id, 9) == 0
    return Plan(work_s=2, error="{:error, :noproc}: the bot does not answer" if deaf else None)


HABITS: dict[str, Habits] = {
    "fast": Habits((Source(ORDERS), Source(PAYMENTS), Source(REPORTS)), _fast),
    "slow": Habits((Source(ORDERS),), _slow, hands=2, lease_ms=15_000),
    "dying": Habits((Source(ORDERS, lanes=True),), _dying, hands=4, lease_ms=STORY_LEASE_MS),
    "failing": Habits((Source(WEBHOOKS),), _failing, lease_ms=8_000),
    "lanes": Habits((Source(THUMBS, lanes=True),), _lanes, hands=4),
    "mail": Habits((Source(MAILER),), _mail, max_attempts=4),
    "bots": Habits((Source(COMMANDS),), _bots, max_attempts=2),
}
