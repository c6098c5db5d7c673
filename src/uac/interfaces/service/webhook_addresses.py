"""The addresses that webhooks may be sent to: public ones, and local ones only where that is allowed."""

import ipaddress
import re
from urllib.parse import urlsplit

from uac.errors import Refused

__all__ = ["check_webhook_address", "check_webhook_url"]

LONGEST_URL = 2000
WHERE = "where --local (uac hooks add) and --local-hooks (uac serve) allow it"


def check_webhook_url(url: str, *, private: bool = False) -> None:
    """Raises Refused unless the URL is https to a public host; `private` adds this network and http to this machine."""
    example = "Use an address such as https://example.org/alerts."
    if len(url) > LONGEST_URL or not re.fullmatch(r"[!-~]+", url):
        raise Refused(f"hook: url is longer than {LONGEST_URL} characters or has invalid ones. {example}")
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise Refused(f"hook: url cannot be read: {error}. {example}") from None
    if parts.scheme not in ("https", "http") or not host or "#" in url:
        raise Refused(f"hook: url is {url!r}. {example}")
    if "@" in parts.netloc:  # anyone who may list hooks would see the credentials
        raise Refused(f"hook: url contains a name or password. {example}")
    address = _literal_ip_address(host)
    if parts.scheme == "http":
        is_here = host == "localhost" or (address is not None and address.is_loopback)
        if not (private and is_here):
            raise Refused(f"hook: url is not https. Use https; http is for this machine only, {WHERE}.")
    if address is not None:
        check_webhook_address(str(address), private=private)


def check_webhook_address(text: str, *, private: bool = False) -> None:
    """Raises Refused unless hooks may be sent to this IP address: internal networks are off limits."""
    address = _embedded_ipv4(ipaddress.ip_address(text.partition("%")[0]))
    if address.is_multicast or address.is_unspecified or address.is_link_local or _is_never_public(address):
        raise Refused(f"hook: {text} is not the address of a server. Use a public one.")
    if not address.is_global and not (private and (address.is_loopback or address.is_private)):
        raise Refused(
            f"hook: {text} is an address of an internal network. Use a public one; internal ones work {WHERE}."
        )


def _literal_ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _embedded_ipv4(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The IPv4 address embedded in an IPv6 address, if any: the packets end there."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else address)


def _is_never_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether no public server has such an address; a network may map it to another one."""
    if isinstance(address, ipaddress.IPv4Address) or address.is_loopback:
        return False
    is_isatap = int(address) >> 32 & 0xFDFFFFFF == 0x00005EFE
    return is_isatap or any(address in network for network in HIDING)


NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
HIDING = tuple(
    map(ipaddress.IPv6Network, ("::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "fec0::/10"))
)  # three legacy IPv4 embeddings, and site-local networks
