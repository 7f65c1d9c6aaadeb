"""The last hour of a queue above its pages."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from echomq_admin.console.places import Place
from echomq_admin.console.sparks import sparks

register = template.Library()


@register.simple_tag
def queue_spark(place: Place) -> SafeString:
    """The way to the chart of a queue, with its last hour where samples were taken."""
    drawn = sparks(place.server, [place.queue], place.look.now_ms)[place.queue]
    return format_html(
        '<span><a class="link" href="{}" title="how full the queue was, and what it got done">'
        "chart</a> {}</span>",
        place.url("queue_chart"),
        drawn.drawing,
    )
