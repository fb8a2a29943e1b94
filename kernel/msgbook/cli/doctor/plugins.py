"""Checks of the plug-ins: what each adds, and what of it cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from msgbook.config import Settings
from msgbook.errors import ConfigError
from msgbook.plugins import PROVIDERS, Entry, find_entries, installed_entries, is_off
from msgbook.provider import find_provider_entry
from msgbook.server_checks.findings import Finding
from msgbook.text import one_line, visible
from msgbook.tools import ToolHost, load_tools


def check_plugins(settings: Settings) -> Iterator[Finding]:
    """Yield one finding for each plug-in, and one for each part that cannot be used. Their tools are imported."""
    entries = installed_entries()
    for _, of_package in groupby(entries, lambda entry: entry.package):
        yield Finding("plug-in", "pass", _describe([*of_package], settings.plugins_off))
    _, tool_problems = load_tools(ToolHost(Path.cwd()), settings.plugins_off)
    _, provider_problems = find_entries(PROVIDERS, settings.plugins_off)
    for problem in (*tool_problems, *provider_problems, *_unusable_providers(settings)):
        yield Finding("plug-in", "fail", problem)
    for name in settings.plugins_off:
        if not any(is_off(entry, [name]) for entry in entries):
            words = f"[plugins] off names {visible(one_line(name, 100))!r}, which is not installed"
            yield Finding("plug-in", "unknown", words)


def _describe(entries: Iterable[Entry], off: Iterable[str]) -> str:
    """Return package and version of a plug-in, and what it adds."""
    entries, off = [*entries], [*off]
    package, version = entries[0].package, entries[0].version
    added = (
        f"{entry.kind} {entry.name}" + (" (turned off)" if is_off(entry, off) else "")
        for entry in entries
    )
    return visible(one_line(f"{package} {version}: {', '.join(added)}"))


def _unusable_providers(settings: Settings) -> Iterator[str]:
    """Yield a line for each configured provider, but the default one, whose plug-in cannot be used."""
    for server in settings.providers.values():
        if not server.plugin or server is settings.provider or server.problem:
            continue
        try:
            find_provider_entry(server, settings.plugins_off).load()
        except ConfigError as error:
            yield str(error)
