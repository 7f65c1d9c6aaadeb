"""Where an address leads that names a queue nobody has seen."""

from __future__ import annotations

import pytest

from echomq_admin.fleet import servers
from tests.console.scene import text

pytestmark = pytest.mark.usefixtures("patient")


def test_a_server_that_may_not_tell_whether_a_queue_exists_is_not_out_of_reach(
    prod, browser, settings, server_url
):
    rights = ["+@all", "-exists"]
    prod.acl_setuser("joanna", enabled=True, nopass=True, keys=["*"], commands=rights)
    try:
        settings.EMQ_SERVERS = f"prod={server_url.replace('//', '//joanna:s3cret@')}"
        servers.forget()
        answer = browser("viewer").get("/q/prod/nope/active")
    finally:
        prod.acl_deluser("joanna")
    html = answer.content.decode()
    assert answer.status_code == 404
    assert "no permission to run exists" in text(html)
    assert "+exists" in text(html)
    assert "joanna" not in html
