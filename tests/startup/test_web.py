"""What the web process believes of the proxies before it."""

from __future__ import annotations

import pytest

from echomq_admin.startup.web import is_behind_proxy


@pytest.mark.parametrize(
    ("header", "proxies", "believed"),
    [
        (None, 0, False),
        (("HTTP_X_FORWARDED_PROTO", "https"), 0, True),
        (None, 1, True),
    ],
)
def test_headers_of_a_proxy_are_kept_only_where_one_is_said_to_stand(
    settings, header, proxies, believed
):
    settings.SECURE_PROXY_SSL_HEADER = header
    settings.EMQ_PROXIES = proxies
    assert is_behind_proxy() is believed
