"""Plug-ins: installed packages that add tools or providers by entry points.

This module finds and loads entry points; `tools.plugins` and `provider.plugins` make tools and providers
of what they name. Neither is imported before an engine is made. docs/plugins.md is for authors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from itertools import islice
from typing import Any

from msgbook.errors import ConfigError, MsgbookError, describe_foreign_error
from msgbook.installed import installed_paths, without_working_directory
from msgbook.text import one_line, visible

TOOLS = "msgbook.tools"
PROVIDERS = "msgbook.providers"

_KINDS = {TOOLS: "tool", PROVIDERS: "provider"}


class PluginError(ConfigError):
    """A plug-in that cannot be used. The message names its package and entry point."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry point of a plug-in. Its texts are those of the package's metadata, as they are."""

    group: str
    name: str
    value: str
    """Where the object is: `module:attribute`."""
    package: str
    version: str

    @property
    def kind(self) -> str:
        """`tool` or `provider`."""
        return _KINDS[self.group]

    @property
    def origin(self) -> str:
        """Package and version, in words for a person."""
        return f"the plug-in {_shown(self.package)} {_shown(self.version)}"

    def __str__(self) -> str:
        return f"{self.origin} ({self.kind} {_shown(self.name)} = {_shown(self.value)})"

    def load(self) -> Any:
        """Return the object that the entry point names. This runs code of the package.

        Raises:
            PluginError: It cannot be imported.
        """
        found = metadata.EntryPoint(self.name, self.value, self.group)
        with self.running("cannot be imported"), without_working_directory():
            return found.load()

    @contextmanager
    def running(self, problem: str) -> Iterator[None]:
        """Turn whatever code of the package raises in the block into a `PluginError`.

        Only an interrupt of the user's passes. On an event loop it is a cancellation, so a
        `KeyboardInterrupt` is the plug-in's own there, and would end a kernel.

        Args:
            problem: What an error means, for example `cannot be imported`.
        """
        try:
            yield
        except PluginError:
            raise
        except BaseException as error:  # a plug-in is code of any author
            if isinstance(error, KeyboardInterrupt) and not _is_on_loop():
                raise
            raise PluginError(f"{self} {problem}: {describe_error(error)}") from error


def find_entries(group: str, off: Collection[str] = ()) -> tuple[list[Entry], list[str]]:
    """Return the entry points of the installed packages, and a line for each that cannot be used.

    Args:
        group: `TOOLS` or `PROVIDERS`.
        off: Plug-ins that are turned off: `PACKAGE`, or `PACKAGE:NAME` for one entry point.
    """
    in_use = [
        entry for entry in installed_entries() if entry.group == group and not is_off(entry, off)
    ]
    problems = []
    for name in sorted({entry.name for entry in in_use}):
        same = [entry for entry in in_use if entry.name == name]
        if len(same) > 1:
            places = " and ".join(map(str, same))
            problems.append(
                f"{places} have the same name, so neither is used. {how_to_turn_off(same[-1])}"
            )
            in_use = [entry for entry in in_use if entry.name != name]
    return in_use, problems


def installed_entries() -> list[Entry]:
    """Return the entry points of all plug-ins, sorted by package and name.

    The working directory does not count, since its files may be anybody's.
    """
    return list(_entries_on(tuple(installed_paths())))


def is_off(entry: Entry, off: Collection[str]) -> bool:
    """Return whether the user has turned an entry point, or its package, off."""
    package = _normal(entry.package)
    wanted = {
        (_normal(name), colon + rest) for name, colon, rest in (o.partition(":") for o in off)
    }
    return bool(wanted & {(package, ""), (package, f":{entry.name}")})


def how_to_turn_off(entry: Entry) -> str:
    """Return the advice to turn an entry point off."""
    return f'To turn one off, write [plugins] off = ["{_shown(entry.package)}:{_shown(entry.name)}"] in msgbook.toml.'


def describe_error(error: BaseException) -> str:
    """Return an error of a plug-in on one line; without its class if the plug-in raised one of ours."""
    words = describe_foreign_error(error)
    if isinstance(error, MsgbookError):
        words = words.removeprefix(f"{type(error).__name__}: ")
    return visible(one_line(words))


@lru_cache(4)
def _entries_on(path: Sequence[str]) -> tuple[Entry, ...]:
    """Return the entry points of the packages on an import path; of each package the first one counts."""
    # Names are read of plug-ins alone: they are in another file, which takes four times as long.
    names = {
        _normal(_field(package, "Name"))
        for package in metadata.distributions(path=list(path))
        if any(entry.group in _KINDS for entry in _entry_points(package))
    }
    packages = (
        package
        for name in names - {""}
        for package in islice(metadata.distributions(name=name, path=list(path)), 1)
    )
    found = [
        Entry(
            entry.group,
            entry.name,
            entry.value,
            _field(package, "Name"),
            _field(package, "Version") or "of unknown version",
        )
        for package in packages
        for entry in _entry_points(package)
        if entry.group in _KINDS
    ]
    return tuple(sorted(found, key=lambda entry: (_normal(entry.package), entry.group, entry.name)))


def _entry_points(package: metadata.Distribution) -> metadata.EntryPoints:
    """Return all entry points of a package; none if their file cannot be read."""
    try:
        return package.entry_points
    except (OSError, ValueError, AttributeError, TypeError):
        return metadata.EntryPoints()


def _field(package: metadata.Distribution, name: str) -> str:
    """Return a field of a package's metadata; empty if there is none, or their file cannot be read."""
    try:
        # Not `metadata[name]`: Python 3.13 warns, and later ones raise, where there is no such field.
        return str((package.metadata.get_all(name) or [""])[0])
    except (OSError, ValueError, AttributeError, TypeError):
        return ""


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _normal(package: str) -> str:
    """Return the name of a package in the form in which pip compares names."""
    return "-".join(
        part for part in package.lower().replace("_", "-").replace(".", "-").split("-") if part
    )


def _shown(text: str) -> str:
    return visible(one_line(text, 80))
