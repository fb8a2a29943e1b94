"""How a cassette keeps what a replay has to repeat: durations, settings, changed metadata, the tools of MCP servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, get_args

from msgbook.config import McpServerSettings, ProviderSettings, Settings
from msgbook.messages import ApiName
from msgbook.provider import shown_url
from msgbook.tools.mcp import (
    ClientThread,
    KeptLists,
    Listing,
    McpError,
    McpServer,
    McpServers,
    read_listing,
)
from msgbook.turn import TurnRecord
from msgbook_format.typed import as_dict, as_list

if TYPE_CHECKING:
    from msgbook.extras.cassettes.lines import CellEdit, McpLine


# The durations in a turn. They are measured anew each time, so a cassette keeps them apart.


def list_times(record: TurnRecord) -> list[float]:
    """Return all durations of a turn in document order, in seconds."""
    return [holder["duration"] for holder in _timed(record)]


def set_times(record: TurnRecord, times: list[float]) -> bool:
    """Give a turn that has ended other durations. Return False if it has more or fewer; it is unchanged then."""
    holders = list(_timed(record))
    if len(holders) != len(times):
        return False
    head: Any = record.snapshot()
    for holder, seconds in zip(holders, times, strict=True):
        holder["duration"] = seconds
    if "duration" in head:
        record.set_head(duration=times[0])
    return True


def _timed(record: TurnRecord) -> Iterator[dict[str, Any]]:
    """Yield what has a duration: the turn, its blocks, and the sub-agents of a block."""
    turn: Any = record.snapshot()
    for holder in (turn, *turn["blocks"]):
        agents = holder.get("agents") if holder is not turn else None
        for timed in (holder, *(as_list(agents))):
            if isinstance(timed, dict) and isinstance(timed.get("duration"), int | float):
                yield timed


# The settings that requests and turns depend on, as a cassette keeps them: without keys and headers.


_PROVIDER = (
    "name",
    "plugin",
    "prices",
    "context_window",
    "keep_reasoning",
    "documents",
    "alternate",
    "from_environment",
    "problem",
)
_SETTINGS = (
    "model",
    "model_origin",
    "agents",
    "approval",
    "limits",
    "project_limits",
    "plugins_off",
    "warnings",
    "untrusted_project",
)
_MCP = ("name", "enabled_tools", "disabled_tools", "trust_hints", "problem")
_KEY = "none"
"""Stands for the key of a server that has one."""


def save_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON."""
    return {
        **{name: _plain(getattr(settings, name)) for name in _SETTINGS},
        "mcp_servers": [_save_mcp(found) for found in settings.mcp_servers.values()],
        "providers": [_save_provider(found) for found in settings.providers.values()],
    }


def load_settings(saved: dict[str, Any]) -> Settings:
    """Return settings that were saved. They grant nothing: nothing runs during a replay.

    Raises:
        TypeError: They are not such settings.
        ValueError: As `TypeError`.
    """
    known = {name: saved[name] for name in _SETTINGS if name in saved}
    for name in ("warnings", "plugins_off"):
        known[name] = tuple(map(str, known.get(name, ())))
    for name in ("agents", "limits", "project_limits"):
        known[name] = dict(known.get(name, {}))
    if known.get("approval") not in ("ask", "deny", "allow"):
        known["approval"] = "deny"
    providers = [_load_provider(found) for found in saved.get("providers", [])]
    servers = [_load_mcp(found) for found in saved.get("mcp_servers", [])]
    return Settings(
        **known,
        mcp_servers={found.name: found for found in servers},
        providers={found.name: found for found in providers},
    )


def _save_provider(settings: ProviderSettings) -> dict[str, Any]:
    saved = {name: _plain(getattr(settings, name)) for name in _PROVIDER}
    url = settings.base_url and shown_url(settings.base_url)
    return {**saved, "api": settings.api, "base_url": url, "has_key": bool(settings.api_key)}


def _load_provider(saved: dict[str, Any]) -> ProviderSettings:
    known = {name: saved[name] for name in _PROVIDER if name in saved}
    key = _KEY if saved.get("has_key") else None
    # A cassette without the key is older than it.
    api: ApiName = next((name for name in get_args(ApiName) if name == saved.get("api")), "chat")
    return ProviderSettings(**known, api=api, base_url=saved.get("base_url"), api_key=key)


def _save_mcp(settings: McpServerSettings) -> dict[str, Any]:
    # What decides about the tools that are offered: neither the command nor its variables.
    return {name: _plain(getattr(settings, name)) for name in _MCP}


def _load_mcp(saved: dict[str, Any]) -> McpServerSettings:
    known = {name: saved[name] for name in _MCP}
    if known["enabled_tools"] is not None:
        known["enabled_tools"] = tuple(map(str, known["enabled_tools"]))
    known["disabled_tools"] = tuple(map(str, known["disabled_tools"]))
    return McpServerSettings(**known)


def _plain(value: Any) -> Any:
    """Return a value of the settings as JSON."""
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "items"):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return value


# Changes that a turn made in a notebook beside the outputs of its cell, and how to take them back. Pure.
#
# A replay begins with the notebook as it was: with a summary that is there already, for example, no model would be
# asked for one.


KEYS = ("macros", "summary", "agent_metadata")
"""Keys of `metadata.msgbook` that a turn changes."""

Change = dict[str, Any]
"""`cell`: the cell's number, absent for the notebook; `key`: one of `KEYS`; `before`: the value that was there,
absent for none."""


def turn_metadata(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a copy of what turns change in the metadata of a notebook and its cells."""
    nodes = [notebook["metadata"], *(cell["metadata"] for cell in notebook["cells"])]
    return [
        {key: deepcopy(found[key]) for key in KEYS if key in found} for found in map(_of, nodes)
    ]


def changed_metadata(before: list[dict[str, Any]], notebook: dict[str, Any]) -> list[Change]:
    """Return what has changed since `turn_metadata`. The cells are still the same."""
    found: list[Change] = []
    for number, (old, new) in enumerate(zip(before, turn_metadata(notebook), strict=True), -1):
        where: Change = {} if number < 0 else {"cell": number}
        for key in KEYS:
            if old.get(key) != new.get(key):
                kept = {"before": old[key]} if key in old else {}
                found.append({**where, "key": key, **kept})
    return found


def undo(notebook: dict[str, Any], changes: list[Change]) -> None:
    """Take changes back. Those of cells that are no longer there are left out."""
    cells = notebook["cells"]
    for change in reversed(changes):
        number = change.get("cell")
        if number is None:
            _undo_one(notebook["metadata"], change)
        elif number < len(cells):
            _undo_one(cells[number]["metadata"], change)


def undo_edits(cells: list[dict[str, Any]], edits: Sequence[CellEdit]) -> None:
    """Take changes of cells back. Those of cells that are no longer there are left out."""
    for edit in reversed(edits):
        number = next((n for n, cell in enumerate(cells) if cell.get("id") == edit.cell_id), None)
        if number is not None and edit.before is None:
            del cells[number]
        elif number is not None and edit.before is not None:
            cells[number] = type(cells[number])(deepcopy(edit.before))


def _undo_one(metadata: dict[str, Any], change: Change) -> None:
    key = change["key"]
    if "before" in change:
        metadata.setdefault("msgbook", {})[key] = deepcopy(change["before"])
        return
    found = _of(metadata)
    found.pop(key, None)
    if not found:
        metadata.pop("msgbook", None)


def _of(metadata: dict[str, Any]) -> dict[str, Any]:
    found = metadata.get("msgbook")
    return as_dict(found)


# The tools of MCP servers in a cassette: what each offered, and servers that offer it again and never start.


def list_offers(servers: McpServers | None) -> dict[str, dict[str, Any]]:
    """Return what is known of servers, by their names. Those that were not needed are left out."""
    if servers is None or not servers.servers:
        return {}
    offers = {}
    for name, server in servers.servers.items():
        listing = server.listing
        if listing is None and not server.failure and not servers.missing:
            continue
        offers[name] = {
            "tools": None if listing is None else [tool.as_json() for tool in listing.tools],
            "problems": [] if listing is None else list(listing.problems),
            "failure": server.failure,
            "missing": servers.missing,
            "learned": server.has_learned,
        }
    return offers


def recorded_servers(
    settings: Mapping[str, McpServerSettings],
    redact: Callable[[str], str],
    offers: Mapping[str, McpLine],
) -> McpServers:
    """Return servers that offer what a cassette says."""
    missing = next((offer.missing for offer in offers.values()), "")
    servers = McpServers({}, redact, missing=missing)
    for name, server in settings.items():
        offer = offers.get(name)
        tools = None if offer is None else offer.tools
        listing = None if offer is None or tools is None else read_listing(tools, offer.problems)
        servers.servers[name] = RecordedServer(
            server,
            listing,
            failure=offer.failure if offer is not None else "it is not in the cassette",
            learned=offer is not None and offer.learned,
        )
    return servers


class RecordedServer(McpServer):
    """A server of a cassette: it offers what it offered, and is never started.

    Args:
        recorded: The tools that it offered; None if it could not be started.
        failure: Why not.
        learned: Whether it was started only to list its tools.
    """

    def __init__(
        self, settings: McpServerSettings, recorded: Listing | None, *, failure: str, learned: bool
    ) -> None:
        super().__init__(settings, ClientThread(_refuse), KeptLists(), str)
        self._recorded = recorded
        self._failure = failure
        self._is_unknown = learned

    def load(self) -> None:
        """Take the recorded list, unless the server was started for it."""
        if not self._is_unknown:
            self._listing = self._recorded
            self.failure = self._failure

    async def learn(self) -> None:
        """Take the recorded list, or fail as the server did.

        Raises:
            McpError: It could not be started.
        """
        self._listing, self.failure = self._recorded, self._failure
        if self._recorded is None:
            raise McpError(self.failure)


def _refuse() -> None:
    raise McpError("a cassette starts no server")
