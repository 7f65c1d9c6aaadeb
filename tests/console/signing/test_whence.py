"""The address of a browser, also through proxies."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from echomq_admin.console.signing.whence import address, client, is_known, is_of_one_site


def asked(peer: str, forwarded: str | None = None):
    more = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    return RequestFactory().get("/", REMOTE_ADDR=peer, **more)


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "found"),
    [
        (0, "192.0.2.1", None, "192.0.2.1"),
        (0, "192.0.2.1", "203.0.113.5", "192.0.2.1"),
        (1, "10.0.0.1", "203.0.113.5", "203.0.113.5"),
        (1, "10.0.0.1", "1.1.1.1, 203.0.113.5", "203.0.113.5"),
        (2, "10.0.0.1", "1.1.1.1, 203.0.113.5, 10.0.0.2", "203.0.113.5"),
        (2, "10.0.0.1", "203.0.113.5", "10.0.0.1"),
        (1, "10.0.0.1", None, "10.0.0.1"),
        (1, "10.0.0.1", " , ", "10.0.0.1"),
        (1, "10.0.0.1", "1.1.1.1,", "10.0.0.1"),
        (1, "10.0.0.1", "1.1.1.1, ", "10.0.0.1"),
        (2, "10.0.0.1", "1.1.1.1, , 203.0.113.5", "10.0.0.1"),
        (1, "10.0.0.1", "unknown", ""),
        (1, "10.0.0.1", "203.0.113.5:4711", "203.0.113.5"),
        (1, "10.0.0.1", "[2001:db8::5]:4711", "2001:db8::5"),
        (1, "10.0.0.1", "2001:DB8:0::5", "2001:db8::5"),
        (0, "::ffff:192.0.2.1", None, "192.0.2.1"),
        (0, "fe80::1%eth0", None, "fe80::1"),
        (0, "", None, ""),
        (0, "localhost", None, ""),
    ],
)
def test_the_browser_is_who_the_outermost_proxy_answered(settings, proxies, peer, forwarded, found):
    settings.EMQ_PROXIES = proxies
    assert client(asked(peer, forwarded)) == found


def test_an_address_of_ipv6_counts_as_its_network():
    assert address(asked("2001:db8:1:2:3:4:5:6")) == "2001:db8:1:2::"
    assert address(asked("192.0.2.1")) == "192.0.2.1"
    assert address(asked("")) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::", "2001:db8:1:ff00::", True),
        ("2001:db8:1:2::", "2001:db8:2:2::", False),
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "2001:db8:1:2::", False),
    ],
)
def test_networks_of_ipv6_lie_in_one_site_by_their_first_48_bits(one, other, same):
    assert is_of_one_site(one, other) is same


def test_an_address_is_one_browsers_unless_a_proxy_stands_before_it(settings):
    assert is_known(asked("192.0.2.1"))
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert not is_known(asked("10.0.0.1"))
    settings.EMQ_PROXIES = 1
    assert is_known(asked("10.0.0.1", "203.0.113.5"))
    assert not is_known(asked("10.0.0.1", "unknown"))
