"""Rules, skills, macros, servers and tools of a conversation: their origin, and whether the model gets them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgbook.agents import ProjectFiles, Selection, select
from msgbook.approval import MCP_PREFIX
from msgbook.engine import Engine
from msgbook.magics.agent import describe_approval
from msgbook.notebook import Transcript, describe_cell, metadata_of
from msgbook.request import (
    ActiveAgent,
    estimate_text_tokens,
    estimate_tokens,
    is_off,
    macros_above,
    switched_off,
)
from msgbook.text import counted, one_line, visible

_SHOWN = 200
"""Characters of a description or a value."""

Item = dict[str, Any]


async def list_switches(
    engine: Engine, active: ActiveAgent, transcript: Transcript
) -> list[dict[str, Any]]:
    """Return the groups of `switches` in the answer to `context.request` (docs/protocol.md)."""
    project = await engine.request_builder.read_project()
    notebook = metadata_of({"metadata": transcript.metadata})
    rules = select("rules", active.agent, notebook)
    skills = select("skills", active.agent, notebook)
    return [
        _selected(rules, _rules(rules, project)),
        _selected(skills, _skills(skills, project)),
        _group("macros", _macros(engine, transcript)),
        _group("mcp_servers", _servers(engine, active, transcript)),
        _group("tools", _tools(engine, active, transcript)),
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


def _macros(engine: Engine, transcript: Transcript) -> Iterable[Item]:
    cells = transcript.earlier
    above = macros_above(transcript.metadata, cells, engine.request_builder.is_magic)
    for name, macro in above.macros.items():
        is_ours = macro.cell is None
        place = "the notebook's metadata" if is_ours else describe_cell(cells, macro.cell or 0)
        yield _item(name, place, is_on=True, note=macro.value)


def _servers(engine: Engine, active: ActiveAgent, transcript: Transcript) -> Iterable[Item]:
    off = switched_off("disabled_mcp_servers", transcript.metadata)
    offered = {tool.name for tool in active.tools}
    for name, server in engine.mcp.servers.items():
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
            note=engine.redact(f"{server.state}, {failure or count}"),
        )


def _tools(engine: Engine, active: ActiveAgent, transcript: Transcript) -> Iterable[Item]:
    """Yield the tools of the engine and those of servers that the agent gets, or would get."""
    off = switched_off("disabled_tools", transcript.metadata)
    offered = {tool.name for tool in active.tools}
    known = {tool.name: tool for tool in (*engine.tools, *active.tools)}
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
