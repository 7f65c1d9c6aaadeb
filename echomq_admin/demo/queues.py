"""The queues of the demo: their names, lanes and habits."""

from __future__ import annotations

ORDERS = "orders"
THUMBS = "thumbs"
MAILER = "mailer"
COMMANDS = "cm.bot.commands"
PAYMENTS = "payments"
WEBHOOKS = "webhooks.out"
ALL = (ORDERS, THUMBS, MAILER, COMMANDS, PAYMENTS, WEBHOOKS)

# The lane of the jobs that silence their worker. Nobody but an operator takes a lapsed
# lease of this queue back.
STORY_LANE = "express"
STORY_LEASE_MS = 20_000
SILENT_ATTEMPTS = 2

# lane: (limit, weight)
LANES: dict[str, tuple[int | None, int]] = {
    "acme": (2, 3),
    "globex": (1, 1),
    "initech": (None, 1),
    "umbrella": (None, 2),
}
PAUSED_LANE = "initech"

SWEPT = (WEBHOOKS,)
REAPED = (THUMBS, MAILER, COMMANDS, PAYMENTS)
SWEEP_MAX_STALLED = 2
MOST_DEAD = 200
