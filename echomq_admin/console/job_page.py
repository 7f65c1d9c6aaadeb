"""What the template of the page of a job is given, part by part."""

from __future__ import annotations

from collections.abc import Callable

from echomq_admin.console import job_fields, job_view, job_words, links, words
from echomq_admin.console.places import Place
from echomq_admin.console.rows import key, pips
from echomq_admin.emq import ids
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.reads import JobLook
from echomq_admin.fleet.names import brief


def head(place: Place, look: JobLook, who: str) -> dict:
    """Who the job is, where it is, and what is odd about that; `who` is the person's name."""
    job = look.job
    max_stalled = place.settings.max_stalled
    mint = ids.parse(job.job_id)
    here = job_view.job_link(place, job.job_id)
    return {
        "look": look,
        "gone": look.is_gone,
        "name": here.name,
        "state": job_view.state_word(look),
        "state_chip": job_view.state_chip(look),
        "phase": job_view.lease_phase(look),
        "fault_note": job_words.fault_note(look),
        "held": job_view.held_rows(place, look, max_stalled),
        "oddities": job_words.oddities(look),
        "faults": sorted(look.faults.items()),
        "stalls": pips(job.stalled if job.is_movable else None, max_stalled),
        "mint": mint,
        "job_url": here.href,
        "logs_url": f"{here.href}/logs",
        "trail_url": f"{here.href}/trail",
        "history_url": f"{here.href}/history",
        "find_url": job_view.find_url(job.job_id),
        "see": words.see(place, job.job_id, who),
    }


def body(place: Place, look: JobLook, may: Callable[[str], bool], who: str) -> dict:
    """What is in it, what is around it, and what can be done; `may` tells of a verb whether the
    user has the right."""
    job = look.job
    panels, rows = job_fields.drawn(place.server.name, place.queue, job.job_id, look.fields)
    actions = job_view.action_rows(place, look, may, who, place.settings.max_stalled)
    pressed = (one for one in actions if one.offer and not one.offer.asks)
    return {
        "fields": rows,
        "panels": panels,
        "offered": [one for one in actions if one.is_offered],
        "barred": [one for one in actions if not one.is_offered],
        "key": key(job),
        "primary": next(pressed, None),
        "may_sweep": place.read_only is None and may("sweep"),
        "lock": job_view.lock_text(look),
        "dedup_name": brief(look.dedup.dedup_id) if look.dedup else "",
        "children": [(kind, job_view.child_links(place, kind)) for kind in look.flow.ended],
        **_lane(place, look),
        **_parent(place, look),
    }


def _lane(place: Place, look: JobLook) -> dict:
    group = look.job.group
    if group is None:
        return {"lane_name": None}
    return {
        "lane_name": brief(group),
        "lane_url": links.lane_href(place.server.name, place.queue, group),
        "lane_words": job_words.lane(look.lane) if look.lane else "",
    }


def _parent(place: Place, look: JobLook) -> dict:
    parent = look.flow.parent
    if parent is None:
        return {"parent": None}
    return {
        "parent": job_view.job_link(place, parent.job_id, parent.queue),
        "parent_words": job_words.parent(parent),
        "parent_queue": "" if parent.queue == place.queue else brief(parent.queue),
        "policy": job_words.policy(parent.policy),
        "policy_raw": "" if parent.policy is None else brief(from_wire(parent.policy)),
    }
