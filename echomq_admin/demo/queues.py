"""The queues of the demo: their names, lanes and habits."""

from __future__ import annotations

ORDERS = "orders"
THUMBS = "thumbs"
MAILER = "mailer"
COMMANDS = "cm.bot.commands"
PAYMENTS = "payments"
WEBHOOKS = "webhooks.out"
REPORTS = "reports"
ALL = (ORDERS, THUMBS, MAILER, COMMANDS, PAYMENTS, WEBHOOKS, REPORTS)

# Found on the server, worked on by nobody: one whose name no producer could use today, and one
# of which only the counts are left.
IMPORTS = "imports/2024 #1"
CAMPAIGN = "campaign.2025"

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
REAPED = (THUMBS, MAILER, COMMANDS, PAYMENTS, REPORTS)
SWEEP_MAX_STALLED = 2
# The keeper removes the oldest dead jobs above these.
MOST_DEAD = 12
MOST_DEAD_OF = {WEBHOOKS: 75}
