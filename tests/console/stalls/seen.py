"""The page of the stalls as its tests read it."""

from __future__ import annotations

import re

from tests.console.scene import tags, text

URL = "/stalls"


def page(reader, **query: object) -> str:
    answer = reader.get(URL, query, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def shown(html: str) -> list[str]:
    """The text of each row: endings, and what is missing between them."""
    body = (
        html.split('<table class="rows stalls">')[1]
        .split("<tbody>")[1]
        .split("</tbody>", maxsplit=1)[0]
    )
    return [text(f"<p {part}") for part in re.split(r"<tr", body)[1:]]


def links(html: str) -> set[str]:
    return {attrs["href"] for tag, attrs in tags(html) if tag == "a" and attrs.get("href")}


def link(html: str, rel: str) -> str:
    found = (attrs["href"] for tag, attrs in tags(html) if tag == "a" and attrs.get("rel") == rel)
    return next(found, "")
