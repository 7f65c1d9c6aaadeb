"""What the templates of the console need beyond Django's own tags."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from echomq_admin.console import times
from echomq_admin.console.words import jobs
from echomq_admin.fleet import patterns
from echomq_admin.fleet.spans import span

register = template.Library()
register.filter("jobs", jobs)


@register.filter
def count(value: int | None, why: str = "") -> SafeString | str:
    """A number with its thousands apart; an unknown one is a "?" that says why on hover."""
    if value is None:
        return format_html('<span class="unknown" title="{}">?</span>', why or "not known")
    if value == 0:
        return mark_safe('<span class="zero">0</span>')
    return f"{value:,}"


@register.filter
def say(value: int | None) -> str:
    """A number as plain text, with its thousands apart; an unknown one in a word."""
    return "unknown" if value is None else f"{value:,}"


@register.simple_tag
def icon(name: str, css: str = "") -> SafeString:
    """A shape of the sprite in `console/_sprite.html`."""
    return format_html(
        '<svg class="icon {}" viewBox="0 0 10 10" aria-hidden="true"><use href="#i-{}"/></svg>',
        css,
        name,
    )


@register.inclusion_tag("console/_patterns.html")
def patterns_note() -> dict[str, str]:
    """A note while EMQ_QUEUES cannot be read."""
    return {"trouble": patterns.trouble()}


@register.simple_tag
def when(ms: float | None, now_ms: float) -> SafeString | str:
    """An instant as `times.when` writes it."""
    return times.when(ms, now_ms)


@register.simple_tag
def when_due(ms: float, now_ms: float) -> SafeString | str:
    """An instant at which something is due, as `times.when` writes it."""
    return times.when(ms, now_ms, is_due=True)


@register.simple_tag
def when_ago(moment: datetime) -> SafeString | str:
    """An instant of this host's own clock that is over, such as the end of a discovery pass; a
    clock that was set back since then does not put it into the future."""
    ms = moment.timestamp() * 1_000
    return times.when(ms, max(ms, timezone.now().timestamp() * 1_000))


@register.simple_tag
def ago(ms: int) -> SafeString:
    """How long ago something was, `3 s ago`; a script runs it on."""
    return format_html('<time data-ago="{}">{}</time>', ms, times.ago(0, ms))


@register.simple_tag
def clock_time(ms: float) -> SafeString | str:
    """An instant as `times.clock_time` writes it."""
    return times.clock_time(ms)


@register.simple_tag
def zone_now() -> str:
    """How far the console's clocks are from UTC now: `UTC+05:45`."""
    return times.zone_offset(timezone.now())


@register.simple_tag
def zone_ahead() -> int:
    """How many seconds the console's clocks are ahead of UTC now."""
    return times.zone_ahead(timezone.now())


@register.simple_tag
def dated(ms: float) -> SafeString | str:
    """An instant as `times.dated` writes it."""
    return times.dated(ms)


@register.simple_tag
def with_day(ms: float, now_ms: float) -> SafeString | str:
    """An instant as `times.with_day` writes it."""
    return times.with_day(ms, now_ms)


@register.simple_tag
def clocked(ms: float, now_ms: float) -> SafeString | str:
    """An instant as `times.clock_time` writes it."""
    return times.clock_time(ms, now_ms)


@register.simple_tag
def server_clock(now_ms: float) -> SafeString:
    """The clock of a page's server, to 0.1 s, with how far it is from UTC. A script runs it on."""
    moment = times.instant(now_ms) or timezone.now()
    return format_html(
        '<span>server clock <b class="mono" id="clock" data-now="{}" data-ahead="{}">{}</b>'
        " <span data-zone>{}</span></span>",
        now_ms,
        times.zone_ahead(moment),
        times.local(moment).isoformat(timespec="milliseconds")[11:21],
        times.zone_offset(moment),
    )


@register.simple_tag
def zone_switch() -> SafeString:
    """The zone of the clock times: where, and how far from UTC now. A script makes it a switch."""
    now, city = timezone.now(), times.zone_city()
    quarters = [times.zone_ahead(now + timedelta(days=91 * at)) for at in range(4)]
    return format_html(
        '<button class="chip plain" type="button" id="zone" disabled title="{}" data-name="{}"'
        ' data-city="{}" data-now="{}" data-ahead="{}" data-quarters="{}">'
        '<span class="wide-only" data-place>{}</span><span data-zone>{}</span></button>',
        "The zone of the clock times",
        times.zone_name(),
        city,
        int(now.timestamp() * 1_000),
        quarters[0],
        " ".join(map(str, quarters)),
        f"{city}, " if city else "",
        times.zone_offset(now),
    )


@register.filter
def seconds(value: float) -> str:
    """A span of seconds to 0.1 s below ten, in words above."""
    return f"{value:.1f} s" if value < 10 else span(value * 1_000)
