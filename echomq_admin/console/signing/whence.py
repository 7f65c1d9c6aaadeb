"""Where a request comes from, also through proxies."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

# What one household or one rented machine is given: its holder can use any address of it.
_OWN_BITS = 64
# What one who asks for more is given: he can use any network of it.
_SITE_BITS = 48


def client(request: HttpRequest) -> str:
    """The address of the browser; empty when it is not known.

    It is the peer of the connection, or with `EMQ_PROXIES` the n-th entry from the right of
    X-Forwarded-For: what stands left of it was written by whoever sent the request. Where that
    entry is missing or empty, the request counts as one of its peer.
    """
    peer = str(request.META.get("REMOTE_ADDR") or "")
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    count = settings.EMQ_PROXIES
    hop = forwarded[-count].strip() if 0 < count <= len(forwarded) else ""
    return _plain(hop or peer)


def address(request: HttpRequest) -> str | None:
    """The address that sign-ins are counted by: of IPv6, the network that its holder rules over."""
    found = client(request)
    if ":" not in found:
        return found or None
    return str(ip_network(f"{found}/{_OWN_BITS}", strict=False).network_address)


def is_of_one_site(one: str, other: str) -> bool:
    """Whether two addresses that sign-ins are counted by may be in the same hands: different
    networks of IPv6 that one holder is commonly given together."""
    if ":" not in one or ":" not in other:
        return one == other
    site = ip_network(f"{one}/{_SITE_BITS}", strict=False)
    return ip_address(other) in site


def is_known(request: HttpRequest) -> bool:
    """Whether the address is that of one browser: without `EMQ_PROXIES`, everyone behind a proxy
    has the proxy's."""
    is_behind_proxy = settings.SECURE_PROXY_SSL_HEADER is not None
    return bool(client(request)) and (settings.EMQ_PROXIES > 0 or not is_behind_proxy)


def _plain(text: str) -> str:
    """The address alone: some proxies write a port behind it. Empty for what is none."""
    host = text.removeprefix("[").partition("]")[0] if text.startswith("[") else text
    if host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    inner = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return str(inner or found)
