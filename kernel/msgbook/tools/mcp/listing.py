"""The tools that a server describes, as far as its descriptions can be used. They are kept for the next start."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgbook.approval import StoreError
from msgbook.approval.store import Store, data_file
from msgbook.text import map_texts, one_line, repair_surrogates
from msgbook.tools.tool_schemas import UnfitSchemaError, fit_schema
from msgbook_format.typed import as_dict, as_list, as_text, change_texts

TOOL_LIMIT = 1000
"""Tools of one server that are read. Model servers take 128."""

SIZE_LIMIT = 100_000
"""Characters of JSON of one tool; each request holds them."""

_TASK_ONLY = "required"
"""`taskSupport` of a tool that refuses ordinary calls."""


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as its server describes it."""

    name: str
    """The server's own name."""
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""
    reads_only: bool = False
    """Whether it says that it changes nothing."""
    open_world: bool = True
    """Whether it may reach what is outside of the server, such as the network; so if it says nothing."""

    @property
    def only_reads(self) -> bool:
        """True if its server says that it changes nothing and reaches nothing outside."""
        return self.reads_only and not self.open_world

    def as_json(self) -> dict[str, Any]:
        """Return the description in the form of the protocol; `read_listing` reads it."""
        hints = {"readOnlyHint": self.reads_only, "openWorldHint": self.open_world}
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.parameters,
            "annotations": hints,
        }


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of a server, by their own names, each name once."""

    tools: tuple[ListedTool, ...] = ()
    problems: tuple[str, ...] = ()
    """Tools that are left out, and why; a line each."""

    @property
    def digest(self) -> str:
        """First 16 hexadecimal digits of the sha256 of all tools, whatever their order."""
        return digest_of(self.tools)

    def redacted(self, redact: Callable[[str], str]) -> Listing:
        """Return the list without secrets in what the server says. Names of tools stay."""
        tools = (
            replace(
                tool,
                description=redact(tool.description),
                parameters=map_texts(tool.parameters, redact),
            )
            for tool in self.tools
        )
        return replace(self, tools=tuple(tools), problems=tuple(map(redact, self.problems)))


def digest_of(tools: Iterable[ListedTool]) -> str:
    """Return the digest of tools, whatever their order."""
    entries = sorted((tool.as_json() for tool in tools), key=lambda entry: str(entry["name"]))
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()[:16]


def read_listing(entries: Sequence[Any], problems: Iterable[str] = ()) -> Listing:
    """Return the tools of `tools/list`; one that cannot be used is left out, and a line says so.

    Args:
        problems: Lines about tools that have been left out before.
    """
    found: dict[str, ListedTool] = {}
    said = list(problems)
    for entry in entries[:TOOL_LIMIT]:
        tool = _read(entry)
        if isinstance(tool, str):
            said.append(tool)
        elif tool.name in found:
            said.append(f"{_quoted(tool.name)} is listed twice; the first one counts")
        else:
            found[tool.name] = tool
    if len(entries) > TOOL_LIMIT:
        said.append(f"only the first {TOOL_LIMIT} tools are read")
    return Listing(tuple(found.values()), tuple(said))


def _read(entry: Any) -> ListedTool | str:
    """Return a tool, or why it is left out."""
    name = as_text(as_dict(entry).get("name"))
    if not name:
        return "a tool without a name is left out"
    if as_dict(entry.get("execution")).get("taskSupport") == _TASK_ONLY:
        return f"{_quoted(name)} runs only as a task, which msgbook does not offer"
    hints = as_dict(entry.get("annotations"))
    try:
        size = len(json.dumps(entry, allow_nan=False))
        parameters = _parameters(entry.get("inputSchema"))
    except (ValueError, RecursionError):
        return f"{_quoted(name)} is left out: its schema is not JSON"
    except UnfitSchemaError as error:
        return (
            f"{_quoted(name)} is left out, since model servers would refuse its schema, which {error} "
            "(disabled_tools of the server's table hides this)"
        )
    if size > SIZE_LIMIT:
        return f"{_quoted(name)} is left out: its description has {size:,} characters, more than {SIZE_LIMIT:,}"
    return ListedTool(
        repair_surrogates(name),
        repair_surrogates(as_text(entry.get("description"))),
        parameters,
        reads_only=hints.get("readOnlyHint") is True,
        open_world=hints.get("openWorldHint") is not False,
    )


def _parameters(schema: Any) -> dict[str, Any]:
    # Model servers take the schema of an object with its properties.
    return fit_schema(change_texts(as_dict(schema), repair_surrogates, repair_surrogates))


def is_about(problem: str, name: str) -> bool:
    """Return whether a line of `Listing.problems` is about a tool."""
    return problem.startswith(f"{_quoted(name)} ")


def _quoted(name: str) -> str:
    return repr(one_line(name, 100))


# The lists of tools that servers gave before, so that a server need not start before its first call.


class KeptLists:
    """Lists of tools, each in a file that only the user can read.

    A list belongs to the digest of its server's table: a table that was changed has none.

    Args:
        folder: By default `msgbook/mcp` in Jupyter's data directory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_file("mcp")

    def load(self, digest: str) -> Listing | None:
        """Return a list; None if there is none that can be read."""
        try:
            kept = self._store(digest).read()
        except StoreError:
            return None
        tools, problems = kept.get("tools"), kept.get("problems")
        said = map(str, as_list(problems))
        return read_listing(tools, said) if isinstance(tools, list) else None

    def save(self, digest: str, listing: Listing) -> None:
        """Keep a list.

        Raises:
            StoreError: It cannot be written.
        """
        tools = [tool.as_json() for tool in listing.tools]
        kept = {"version": 1, "tools": tools, "problems": list(listing.problems)}
        self._store(digest).write(kept)

    def _store(self, digest: str) -> Store:
        return Store(self._folder / f"{digest}.json")
