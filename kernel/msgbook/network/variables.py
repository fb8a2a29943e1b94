"""The table of the environment variables that msgbook, or a library through which it talks to servers, reads.

`tests/network/test_libraries.py` finds what the installed libraries read, and fails for a name that is missing here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from msgbook.config import (
    ORGANIZATION_HEADERS,
    find_url_problem,
    load_settings,
    parse_header_lines,
    show_url,
)
from msgbook.errors import ConfigError
from msgbook.network.certificates import (
    FILE,
    FOLDER,
    KEY_LOG,
    NOT_READ,
    NetworkProblem,
    check_certificates,
)
from msgbook.network.client import find_route
from msgbook.network.proxies import (
    Proxy,
    check_proxy,
    find_proxy,
    find_variable,
    is_exempt,
    is_this_computer,
)
from msgbook.text import one_line, visible

_SHOWN = 100
"""Characters of a value that are shown."""


class Server(NamedTuple):
    """A server of the settings that is reached over HTTP."""

    name: str
    url: str


class Row(NamedTuple):
    """The effect of a variable that is set."""

    name: str
    status: Literal["pass", "note", "fail"]
    """`fail` if it ends requests of the settings' servers, `note` if there is something to know."""
    words: str
    """Its value as it may be shown, and its effect."""
    advice: str = ""


class _Set(NamedTuple):
    """A variable that is set."""

    name: str
    value: str
    environ: Mapping[str, str]
    servers: Sequence[Server]


class Variable(NamedTuple):
    """One variable."""

    name: str
    reader: str
    """The library or program that reads it."""
    examine: Callable[[_Set], Row] | None
    """Says what it does; None for a variable that changes nothing here."""


def _examine_proxy(found: _Set) -> Row:
    proxy = Proxy.from_value(found.name, found.value)
    used = [s for s in found.servers if _proxy_name(s, found.environ) == found.name]
    words = f"{found.name} is {proxy.shown}: {_used_for(used)}"
    in_force = find_variable(found.name.lower().removesuffix("_proxy"), found.environ)
    if in_force != found.name:
        words += f"; {in_force or 'REQUEST_METHOD'} goes before it"
    try:
        check_proxy(proxy)
    except NetworkProblem as problem:
        status: Literal["note", "fail"] = "fail" if used else "note"
        return Row(found.name, status, f"{problem.words} It is {_used_for(used)}", problem.advice)
    near = [s for s in used if is_this_computer(s.url)]
    if near:
        hosts = ", ".join(_named(near))
        advice = (
            f"{hosts}: on this computer, which needs no proxy. Set NO_PROXY=localhost,127.0.0.1,::1"
        )
        return Row(found.name, "note", words, advice)
    return Row(found.name, "pass" if used else "note", words)


def _examine_exceptions(found: _Set) -> Row:
    rest = {name: value for name, value in found.environ.items() if name.lower() != "no_proxy"}
    concerned = [s for s in found.servers if find_proxy(s.url, rest)]
    exempt = [s for s in concerned if is_exempt(s.url, found.value)]
    others = [s for s in concerned if s not in exempt]
    words = f"{found.name} is {_shown(found.value)}: "
    if find_variable("no", found.environ) != found.name:
        return Row(found.name, "note", f"{words}no_proxy goes before it")
    parts = [f"no proxy for {', '.join(_named(exempt))}"] if exempt else []
    parts += [f"it does not exempt {', '.join(_named(others))}"] if others else []
    return Row(found.name, "pass", words + ("; ".join(parts) or "no server would take a proxy"))


def _examine_certificates(found: _Set) -> Row:
    used = [s for s in found.servers if find_route(s.url, found.environ).is_encrypted]
    is_needed = bool(used) and found.name != KEY_LOG
    if found.name == FOLDER and found.environ.get(FILE):
        return Row(found.name, "note", f"{found.name} is not used: {FILE} goes before it")
    effect = _used_for(used) if used else "used for https only, and no server needs it"
    try:
        check_certificates(found.environ, found.name)
    except NetworkProblem as problem:
        status: Literal["note", "fail"] = "fail" if is_needed else "note"
        words = problem.words if found.name == KEY_LOG else f"{problem.words} It is {effect}"
        return Row(found.name, status, words, problem.advice)
    return Row(found.name, "pass", f"{found.name} is {_shown(found.value)}: {effect}")


def _examine_ours(found: _Set) -> Row:
    """Read the settings with this variable alone."""
    env = {"MSGBOOK_CONFIG": os.devnull, found.name: found.value}
    if found.name in (*ORGANIZATION_HEADERS, "OPENAI_CUSTOM_HEADERS"):
        env["OPENAI_API_KEY"] = "none"
    if found.name == "ANTHROPIC_BASE_URL":
        env["ANTHROPIC_API_KEY"] = "none"
    try:
        warnings = load_settings(env).warnings
    except ConfigError as error:
        return Row(found.name, "fail", str(error))
    if warnings and found.name == "MSGBOOK_APPROVAL":
        return Row(found.name, "fail", warnings[0])
    return Row(
        found.name, "pass", f"{found.name} is {_SHOWN_AS.get(found.name, _shown)(found.value)}"
    )


def _examine_log(found: _Set) -> Row:
    levels = ("debug", "info", "warning", "error", "critical")
    words = f"{found.name} is {_shown(found.value)}"
    if found.value in levels:
        return Row(found.name, "note", f"{words}: the openai package logs to the terminal")
    advice = f"Expected one of {', '.join(levels)}, in lower case."
    return Row(found.name, "note", f"{words}, which the openai package ignores", advice)


def _examine_ssl_library(found: _Set) -> Row:
    return Row(found.name, "note", f"{found.name} is {_shown(found.value)}: OpenSSL reads it")


def _examine_request_method(found: _Set) -> Row:
    return Row(found.name, "note", f"{found.name} is set, so HTTP_PROXY is not read; http_proxy is")


def _examine_unused(found: _Set) -> Row:
    return Row(found.name, "note", f"{found.name} is set: msgbook makes no use of it")


def _instead(name: str) -> Callable[[_Set], Row]:
    """Return what says that a variable is not read, and which one is."""

    def examine(found: _Set) -> Row:
        words = f"{found.name} is set, but nothing here reads it"
        is_set = bool(found.environ.get(name))
        return Row(
            found.name, "note", words, "" if is_set else f"If it is meant for msgbook, set {name}."
        )

    return examine


def _variables() -> Iterator[Variable]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        yield Variable(name, "httpx2", _examine_proxy)
    yield Variable("NO_PROXY", "httpx2", _examine_exceptions)
    yield Variable("REQUEST_METHOD", "urllib", _examine_request_method)
    for name in (FILE, FOLDER):
        yield Variable(name, "httpcore2", _examine_certificates)
    yield Variable(KEY_LOG, "ssl", _examine_certificates)
    for name in ("OPENSSL_CONF", "OPENSSL_MODULES"):
        yield Variable(name, "OpenSSL", _examine_ssl_library)
    for name in NOT_READ:
        yield Variable(name, "requests, curl", _instead(FILE))
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        *ORGANIZATION_HEADERS,
        "OPENAI_CUSTOM_HEADERS",
    ):
        yield Variable(name, "msgbook, openai", _examine_ours)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        yield Variable(name, "msgbook, anthropic", _examine_ours)
    for name in ("MSGBOOK_MODEL", "MSGBOOK_CONFIG", "MSGBOOK_APPROVAL"):
        yield Variable(name, "msgbook", _examine_ours)
    yield Variable("OPENAI_LOG", "openai", _examine_log)
    for name in ("OPENAI_API_BASE", "OPENAI_HOST"):
        yield Variable(name, "older programs", _instead("OPENAI_BASE_URL"))
    yield Variable("OPENAI_ORGANIZATION", "older programs", _instead("OPENAI_ORG_ID"))
    # Of clients of the openai package that msgbook does not use, but for the first two.
    for name in (
        "OPENAI_ADMIN_KEY",
        "OPENAI_WEBHOOK_SECRET",
        "OPENAI_API_TYPE",
        "OPENAI_API_VERSION",
        "AZURE_OPENAI_ENDPOINT",
        "AZURE_OPENAI_API_KEY",
        "AZURE_OPENAI_AD_TOKEN",
    ):
        yield Variable(name, "openai", _examine_unused)
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        yield Variable(name, "anthropic", _examine_unused)
    for name in (
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_BEDROCK_BASE_URL",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
        "DEFER_PYDANTIC_BUILD",
    ):
        yield Variable(name, "openai", None)


VARIABLES: Mapping[str, Variable] = {variable.name: variable for variable in _variables()}
"""All of them by name. A proxy's name counts in any case."""


def examine_environment(environ: Mapping[str, str], servers: Sequence[Server]) -> Iterator[Row]:
    """Yield a row for each variable of the table that is set, in the table's order."""
    proxies = {name for name in VARIABLES if name.endswith("_PROXY")}
    for name, variable in VARIABLES.items():
        if variable.examine is None:
            continue
        spelled = [n for n in environ if n.upper() == name] if name in proxies else [name]
        for own in sorted(n for n in spelled if n in environ):
            if not environ[own].strip() and name not in (FILE, FOLDER, KEY_LOG):
                yield Row(own, "note", f"{own} is empty, which counts as not set")
            elif environ[own]:
                yield variable.examine(_Set(own, environ[own], environ, servers))


def _proxy_name(server: Server, environ: Mapping[str, str]) -> str:
    proxy = find_proxy(server.url, environ)
    return proxy.variable if proxy else ""


def _named(servers: Sequence[Server]) -> list[str]:
    return [f"{visible(one_line(s.name, 60))} ({show_url(s.url)})" for s in servers]


def _used_for(servers: Sequence[Server]) -> str:
    return (
        f"used for {', '.join(_named(servers))}"
        if servers
        else "used for no server of the settings"
    )


def _shown(value: str) -> str:
    return visible(one_line(value, _SHOWN))


def _shown_url(value: str) -> str:
    url = value.strip()
    return show_url(url) if not find_url_problem(url, ("http", "https")) else "set"


_SHOWN_AS: Mapping[str, Callable[[str], str]] = {
    "OPENAI_API_KEY": lambda _: "set",
    "OPENAI_BASE_URL": _shown_url,
    "ANTHROPIC_API_KEY": lambda _: "set",
    "ANTHROPIC_BASE_URL": _shown_url,
    "OPENAI_CUSTOM_HEADERS": lambda value: f"set ({_shown(', '.join(parse_header_lines(value)))})",
}
"""How values are shown that are or contain secrets."""
