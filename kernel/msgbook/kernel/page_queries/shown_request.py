"""A request that is previewed for a page: its cells, their messages and what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from msgbook.agents import ProjectFiles, Selection, select
from msgbook.approval import MCP_PREFIX
from msgbook.engine import Conversation
from msgbook.errors import MsgbookError
from msgbook.magics.agent import OF_SERVER, describe_approval
from msgbook.magics.context import describe_changes
from msgbook.magics.history import find_stale_turns
from msgbook.notebook import (
    Transcript,
    describe_cell,
    id_of,
    metadata_of,
    parse_prompt,
    source_of,
    title_of,
)
from msgbook.request import (
    PLACEHOLDER,
    ActiveAgent,
    KeptPrefix,
    Preview,
    RequestMessage,
    body_of,
    cell_history,
    count_tokens,
    estimate_text_tokens,
    estimate_tokens,
    find_kept,
    is_off,
    list_messages,
    macros_above,
    switched_off,
    transcript_of_next,
)
from msgbook.request.history import SentRequest, kind_of, shared_prefix
from msgbook.text import counted, one_line, visible


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A preview, and where its messages come from."""

    conversation: Conversation
    preview: Preview
    transcript: Transcript
    """Cells above the previewed prompt, which may be one that is not written yet."""
    messages: list[RequestMessage]
    kept: KeptPrefix | None
    stale: frozenset[int]
    """Positions of the cells above whose turns are stale."""
    switches: list[dict[str, Any]]
    """What the conversation brings beside its cells, as `list_switches` returns it."""

    @property
    def hash(self) -> str:
        """The request's hash, as a turn would record it."""
        return str(self.preview.prepared.context["request_hash"])

    @property
    def body(self) -> dict[str, Any]:
        """The body of the request, as `msgbook preview --json` prints it."""
        return body_of(self.preview)

    def as_json(self) -> dict[str, Any]:
        """Return the result of `context.request` (docs/protocol.md)."""
        active = self.preview.prepared.active_agent
        tools = self.preview.body.tools
        return {
            "agent": visible(active.agent.name),
            "model": None if self.preview.model is None else visible(self.preview.model),
            "provider": visible(active.provider.name),
            "hash": self.hash,
            "tokens": count_tokens(self.preview),
            "window": active.window,
            "reserved": active.agent.max_output_tokens or 0,
            "tools": {
                "count": len(tools),
                "tokens": estimate_tokens([], tools) if tools else 0,
                "kept": 1 if self.kept else 0,
            },
            "system": [row for row in self._rows() if row["cell"] is None],
            "cells": [*self._cells_above(), self._prompt()],
            "cache": self._cache(),
            "switches": self.switches,
            "notices": [visible(notice) for notice in self.preview.notices],
        }

    def _rows(self, cell: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the messages of a cell; of all without a cell, if it is None."""
        for index, message in enumerate(self.messages):
            if message.cell == cell:
                yield {
                    "index": index,
                    "cell": message.cell,
                    "role": message.role,
                    "tokens": message.tokens,
                    "kept": round(message.kept, 3),
                }

    def _cells_above(self) -> Iterator[dict[str, Any]]:
        cell_rule = self.conversation.request_builder.cell_rule
        for position, cell in enumerate(self.transcript.earlier):
            history = cell_history(cell, cell_rule)
            if history is None:
                continue
            line = parse_prompt(source_of(cell)) if cell.get("cell_type") == "code" else None
            yield {
                "id": id_of(cell),
                "number": position + 1,
                "title": visible(title_of(cell)),
                "kind": kind_of(cell, cell_rule),
                "history": history,
                "by_line": line is not None and "history" in line.attributes,
                "is_stale": position in self.stale,
                "messages": list(self._rows(position)),
            }

    def _prompt(self) -> dict[str, Any]:
        """Return the entry of the prompt, the last of the cells."""
        current, position = self.transcript.current, len(self.transcript.earlier)
        is_written = self.preview.source != PLACEHOLDER
        rows = list(self._rows(position))
        if not is_written and rows:
            rows[-1]["tokens"] -= estimate_tokens([{"role": "user", "content": PLACEHOLDER}])
        return {
            "id": id_of(current) if current else None,
            "number": position + 1,
            "title": visible(title_of(current)) if current and is_written else "",
            "kind": "prompt",
            "history": "include",
            "by_line": False,
            "is_stale": False,
            "messages": rows,
        }

    def _cache(self) -> dict[str, Any]:
        """Return the share of the messages that the server may have kept, and why not more."""
        sent = self.conversation.request_builder.sent
        if not sent:
            return {"share": None, "changes": []}
        active = self.preview.prepared.active_agent
        cells = [*self.transcript.earlier, self.transcript.current or {}]
        request = self.preview.prepared.request
        now = SentRequest(request, cells, active.model, active.agent.name, active.tools.schemas)
        before = self.kept.sent if self.kept else sent[-1]
        changes = describe_changes(shared_prefix(before.request, request), before, now)
        share = self.kept.shared.share if self.kept else 0.0
        return {"share": round(share, 3), "changes": changes}


async def preview_cell(conversation: Conversation, transcript: Transcript) -> ShownRequest:
    """Preview the prompt in a transcript's cell; if it holds none, the next one that is written below it.

    Raises:
        MsgbookError: There would be no request; the message says why.
    """
    current, cell_rule = transcript.current, conversation.request_builder.cell_rule
    source = source_of(current) if current else ""
    if not source.strip() or current is None or kind_of(current, cell_rule) != "prompt":
        source, transcript = PLACEHOLDER, transcript_of_next(transcript)
    preview = await conversation.preview(source, transcript)
    kept = find_kept(preview, conversation.request_builder.sent)
    stale = frozenset(turn.cell for turn in await find_stale_turns(conversation, transcript))
    messages = list_messages(preview, kept)
    switches = await list_switches(conversation, preview.prepared.active_agent, transcript)
    return ShownRequest(conversation, preview, transcript, messages, kept, stale, switches)


async def window_share(conversation: Conversation, transcript: Transcript) -> float | None:
    """Return how much of the context window the next prompt below a cell needs without its own text.

    Returns:
        None if the window is not known, or if there would be no request.
    """
    below = transcript_of_next(transcript)
    try:
        window = (await conversation.choose_agent(PLACEHOLDER, below)).window
        # Preparing the request of a long chat takes far longer than choosing its agent.
        preview = await conversation.preview(PLACEHOLDER, below) if window else None
    except MsgbookError:
        return None  # the next turn says why
    return count_tokens(preview) / window if preview and window else None


# Rules, skills, macros, servers and tools of a conversation: their origin, and whether the model gets them.


_SHOWN = 200
"""Characters of a description or a value."""

Item = dict[str, Any]


async def list_switches(
    conversation: Conversation, active: ActiveAgent, transcript: Transcript
) -> list[dict[str, Any]]:
    """Return the groups of `switches` in the answer to `context.request` (docs/protocol.md)."""
    project = await conversation.request_builder.read_project()
    notebook = metadata_of({"metadata": transcript.metadata})
    rules = select("rules", active.agent, notebook)
    skills = select("skills", active.agent, notebook)
    return [
        _selected(rules, _rules(rules, project)),
        _selected(skills, _skills(skills, project)),
        _group("macros", _macros(conversation, transcript)),
        _group("mcp_servers", _servers(conversation, active, transcript)),
        _group("tools", _tools(conversation, active, transcript)),
    ]


def _group(kind: str, items: Iterable[Item], by: str = "") -> dict[str, Any]:
    return {"kind": kind, "by": by, "items": list(items)}


def _selected(selected: Selection, items: Iterable[Item]) -> dict[str, Any]:
    """Return rules or skills; those that the agent itself chooses cannot be switched."""
    by = selected.by if selected.by.startswith("agent ") else ""
    return _group(selected.kind, items, by)


def _item(name: str, origin: str, *, is_on: bool, note: str = "", **more: Any) -> Item:
    return {
        "name": name,
        "shown": visible(one_line(name, _SHOWN)),
        "origin": visible(one_line(origin, _SHOWN)),
        "note": visible(one_line(note, _SHOWN)),
        "is_on": is_on,
        "is_fixed": False,
        "tokens": None,
        **more,
    }


def _rules(selected: Selection, project: ProjectFiles) -> Iterable[Item]:
    for rule in project.rules:
        tokens = estimate_text_tokens(rule.text)
        yield _item(rule.name, "the project", is_on=selected.uses(rule.name), tokens=tokens)


def _skills(selected: Selection, project: ProjectFiles) -> Iterable[Item]:
    for skill in project.skills:
        is_on = selected.uses(skill.name)
        yield _item(skill.name, skill.path, is_on=is_on, note=skill.description)


def _macros(conversation: Conversation, transcript: Transcript) -> Iterable[Item]:
    cells = transcript.earlier
    above = macros_above(transcript.metadata, cells, conversation.request_builder.cell_rule)
    for name, macro in above.macros.items():
        is_ours = macro.cell is None
        place = "the notebook's metadata" if is_ours else describe_cell(cells, macro.cell or 0)
        yield _item(name, place, is_on=True, note=macro.value)


def _servers(
    conversation: Conversation, active: ActiveAgent, transcript: Transcript
) -> Iterable[Item]:
    off = switched_off("disabled_mcp_servers", transcript.metadata)
    offered = {tool.name for tool in active.tools}
    for name, server in conversation.services.mcp.servers.items():
        is_switched_off = is_off(name, off)
        # A server whose tools are not known yet may still have one for the agent.
        is_on = name in active.servers and (
            not server.listing or any(tool.name in offered for tool in server.tools)
        )
        count = counted(len(server.tools), "tool") if server.listing else "tools not known yet"
        failure = server.settings.problem or server.failure
        yield _item(
            name,
            "msgbook.toml",
            is_on=is_on,
            is_fixed=not is_switched_off and not is_on,
            note=conversation.services.redact(f"{server.state}, {failure or count}"),
        )


def _tools(
    conversation: Conversation, active: ActiveAgent, transcript: Transcript
) -> Iterable[Item]:
    """Yield the tools of the conversation and those of servers that the agent gets, or would get."""
    off = switched_off("disabled_tools", transcript.metadata)
    offered = {tool.name for tool in active.tools}
    known = {tool.name: tool for tool in (*conversation.tools, *active.tools)}
    for name, tool in known.items():
        is_on = name in offered
        yield _item(
            name,
            tool.origin or ("MCP server" if name.startswith(MCP_PREFIX) else "msgbook"),
            is_on=is_on,
            # What another setting leaves out cannot be switched on here.
            is_fixed=not is_on and not is_off(name, off),
            note=describe_approval(tool),
            tokens=estimate_tokens([], [tool.schema]),
        )
    for name in active.agent.server_tools or ():
        is_on = name in active.server_tools
        yield _item(
            name,
            f"the server {active.provider.name}",
            is_on=is_on,
            is_fixed=not is_on and not is_off(name, off),
            note=OF_SERVER,
        )
