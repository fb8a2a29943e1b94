"""The proxy that a request takes, as the environment or the system says.

The HTTP library would make a connection pool for every proxy that is set, also for those that no request
takes, and fails with any of them. So the choice is made here, for one URL.
"""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import NamedTuple
from urllib.parse import urlsplit

from msgbook.config import find_url_problem, show_url
from msgbook.network.certificates import NetworkProblem

SCHEMES = ("http", "https", "socks5", "socks5h")
"""Schemes of proxies that the HTTP library knows."""

_KINDS = ("http", "https", "all", "no")
_PORTS = {"http": 80, "https": 443}
_WITH_SETTINGS = ("darwin", "win32")
"""Platforms that set proxies for all programs."""
_LOCAL = "localhost"
_WITHOUT_DOTS = "<local>"
"""Windows's word for hosts whose names have no dot."""
_BEGINNING = re.compile(r"([0-9]{1,3}\.){1,3}")
"""The beginning of addresses, as curl knew it once and many programs still do: `10.`"""
_SYSTEM = "the settings of this system"

_Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that the environment or the system sets. It may hold a password, which `repr` does not show."""

    variable: str
    """Name of the variable as it is spelled; empty if it is the system that sets the proxy."""
    url: str = field(repr=False)

    @classmethod
    def from_value(cls, variable: str, value: str) -> Proxy:
        """Return the proxy of a variable's value, which may have no scheme."""
        value = value.strip()
        return cls(variable, value if "://" in value else f"http://{value}")

    @property
    def origin(self) -> str:
        """The name of whatever sets it, for a sentence."""
        return self.variable or _SYSTEM

    @property
    def shown(self) -> str:
        """The URL without user and password."""
        return show_url(self.url)

    @property
    def scheme(self) -> str:
        """The scheme in lower case."""
        return self.url.partition("://")[0].lower()


class System(NamedTuple):
    """The proxies that a system sets for all programs. They count if no variable sets any."""

    proxies: Callable[[], Mapping[str, str]]
    """Returns the proxies by scheme."""
    exempts: Callable[[str], object]
    """Returns whether a host takes none of them."""


def this_system() -> System | None:
    """Return the settings of macOS or Windows; None for other systems, which have none."""
    if sys.platform not in _WITH_SETTINGS:
        return None
    from urllib.request import getproxies, proxy_bypass

    return System(getproxies, proxy_bypass)


def find_proxy(
    url: str,
    environ: Mapping[str, str],
    find_system: Callable[[], System | None] = this_system,
) -> Proxy | None:
    """Return the proxy that requests to a URL take; None if they go straight to the server."""
    settings = _proxy_settings(environ)
    system = None if settings else find_system()
    if system is not None:
        settings = {kind: ("", value) for kind, value in system.proxies().items() if kind in _KINDS}
    parts = urlsplit(url)
    variable, value = settings.get(parts.scheme) or settings.get("all") or ("", "")
    if not value or is_exempt(url, settings.get("no", ("", ""))[1]):
        return None
    if system is not None and system.exempts(parts.hostname or ""):
        return None
    return Proxy.from_value(variable, value)


def find_variable(kind: str, environ: Mapping[str, str]) -> str | None:
    """Return the name of the variable that is in force for `http`, `https`, `all` or `no`; None for none.

    The lower case goes before: a web server sets `HTTP_PROXY` from a header of a request that anybody can send.
    """
    wanted = f"{kind}_proxy"
    if wanted in environ:
        return wanted
    if kind == "http" and "REQUEST_METHOD" in environ:
        return None
    return next((name for name in environ if name.lower() == wanted), None)


def is_exempt(url: str, no_proxy: str) -> bool:
    """Return whether `NO_PROXY` says that requests to a URL take no proxy.

    It has no standard. Every form that curl, Go, Java, Windows, httpx, Python or requests know counts: names and
    addresses, with or without a dot or `*.` before, ranges of addresses, `10.*` and `10.`, ports, schemes, `*`,
    `<local>`, separated by commas, semicolons, bars or blanks.
    """
    parts = urlsplit(url)
    host, port = _plain_host(parts.hostname or ""), parts.port or _PORTS.get(parts.scheme)
    for quoted in re.split(r"[\s,;|]+", no_proxy):
        entry = quoted.strip("\"'")
        scheme, _, place = entry.rpartition("://")
        place, slash, rest = place.partition("/")
        place += f"/{rest}" if slash and rest[:1].isdigit() else ""  # a range, else a path
        if scheme.lower() in ("", "all", parts.scheme) and _covers(place, host, port):
            return True
    return False


def is_this_computer(url: str) -> bool:
    """Return whether a URL names this computer, which no proxy can reach better."""
    host = _plain_host(urlsplit(url).hostname or "")
    ip = _ip(host)
    return ip.is_loopback if ip else host == _LOCAL or host.endswith(f".{_LOCAL}")


def check_proxy(proxy: Proxy) -> None:
    """Raise `NetworkProblem`, which names the variable, unless the HTTP library can use a proxy."""
    problem = find_url_problem(proxy.url, SCHEMES) or _user_problem(proxy.url)
    advice = (
        f"Expected a proxy such as http://proxy.example.com:3128; correct or unset {proxy.origin}."
    )
    if proxy.scheme.startswith("socks") and proxy.scheme not in SCHEMES:
        problem = f"{proxy.scheme}:// is not supported"
        advice = f"Write socks5:// in {proxy.origin} if the proxy speaks version 5, or unset it."
    elif problem and "@" in proxy.url:
        advice += " In a password, signs such as / # ? and @ are written as %2F %23 %3F and %40."
    elif not problem and proxy.scheme.startswith("socks") and find_spec("socksio") is None:
        problem = "a SOCKS proxy needs the package socksio, which is not installed"
        advice = (
            f"Install it with: pip install socksio. If you need no proxy, unset {proxy.origin}."
        )
    if problem:
        raise NetworkProblem(
            proxy.variable, f"{proxy.origin} ({proxy.shown}) cannot be used: {problem}.", advice
        )


def _user_problem(url: str) -> str:
    """Return what is wrong with user and password: a sign in them would end the host, and another one be asked."""
    user = url.partition("://")[2].rpartition("@")[0]
    return "its user or password has a sign that ends the host" if set(user) & set("#?/") else ""


def describe_route(proxy: Proxy, url: str, environ: Mapping[str, str]) -> str:
    """Return what to do about a failure on the way to a URL through a proxy."""
    host = urlsplit(url).hostname or ""
    variable = find_variable("no", environ) or ""
    before = environ.get(variable, "").strip()
    exempt = f"add {host} to {variable}" if before else f"set NO_PROXY={host}"
    why = (
        "The server is on this computer, which needs no proxy:"
        if is_this_computer(url)
        else f"Check {proxy.origin}. If the server can be reached without a proxy,"
    )
    told = f"The request took the proxy {proxy.shown}, which {proxy.origin} sets."
    return f"{told} {why} {exempt} before you start Jupyter or the command."


def _proxy_settings(environ: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the variable and the value that are in force, by kind."""
    found = {kind: name for kind in _KINDS if (name := find_variable(kind, environ))}
    settings = {kind: (name, environ[name].strip()) for kind, name in found.items()}
    return {kind: setting for kind, setting in settings.items() if setting[1]}


def _covers(place: str, host: str, port: int | None) -> bool:
    """Return whether an entry without its scheme covers a host and a port."""
    if place == "*" or _names(place.removesuffix(":*"), host):
        return True
    name, colon, wanted = place.rpartition(":")
    is_this_port = port is not None and wanted.isdecimal() and wanted.lstrip("0") == str(port)
    return bool(colon) and is_this_port and _names(name, host)


def _names(name: str, host: str) -> bool:
    name = name.replace("[", "").replace("]", "")
    ip = _ip(host)
    if ip is not None:
        name = name.lstrip(".")
    if ip is not None and _BEGINNING.fullmatch(name):
        return str(ip).startswith(name)
    name = _plain_host(name)
    if name == _WITHOUT_DOTS:
        return ip.is_loopback if ip else "." not in host
    if ip is not None and ("/" in name or _ip(name.partition("-")[0])):
        return _in_range(ip, name)
    name = name.partition("/")[0]
    if "*" in name[1:]:
        return fnmatchcase(host, name)
    if ip is not None:
        return False
    suffix = name.removeprefix("*").lstrip(".")
    return bool(suffix) and (host == suffix or host.endswith(f".{suffix}"))


def _in_range(ip: _Ip, name: str) -> bool:
    """Return whether an address is another one, or in a range: `10.0.0.0/8`, `10/8`, `10.0.0.1-10.0.0.9`."""
    first, dash, last = name.partition("-")
    if dash:
        begin, end = _ip(first), _ip(last)
        is_range = (
            begin is not None and end is not None and begin.version == end.version == ip.version
        )
        return is_range and int(begin) <= int(ip) <= int(end)  # type: ignore[arg-type]
    start, slash, size = name.partition("/")
    if slash and re.fullmatch(r"[0-9]+(\.[0-9]+){0,2}", start):
        start += ".0" * (3 - start.count("."))
    if _ip(start) == ip:
        return True
    try:
        return bool(slash) and ip in ipaddress.ip_network(f"{start}/{size}", strict=False)
    except ValueError:
        return False


def _ip(host: str) -> _Ip | None:
    try:
        ip = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(ip, "ipv4_mapped", None) or ip


def _plain_host(host: str) -> str:
    """Return a host as it is compared: in lower case, without its last dot, non-ASCII letters encoded."""
    host = host.lower().rstrip(".")
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return host
