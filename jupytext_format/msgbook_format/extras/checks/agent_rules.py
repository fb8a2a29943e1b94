"""Rules about agents, their definitions and names that nothing defines, and about the frontmatter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

import yaml

from msgbook_format.agents.properties import PROPERTIES, USERS_OWN, find_property, property_table
from msgbook_format.cells.code import PYTHON_INFO
from msgbook_format.extras.checks import findings
from msgbook_format.extras.checks.checked_text import (
    YAML_LINE,
    CheckedCell,
    CheckedText,
    LocatedCell,
    describe_node,
)
from msgbook_format.finding import Finding
from msgbook_format.syntax.cell_rule import CODE_FIRST_CELLS, MSG_MAGIC, CellRule
from msgbook_format.syntax.fence import parse_fence
from msgbook_format.syntax.text_cell import MSG_KEYS, AgentLine, parse_agent_line, parse_msg_line
from msgbook_format.syntax.unread_footnotes import is_near_history, says_history
from msgbook_format.syntax.yaml_nodes import (
    Entry,
    YamlError,
    entries,
    kind_of,
    last,
    plain_value,
    text_of,
)

_SHOWN = 40
"""Characters of a name or value that a message quotes."""
_NAMED = 20
"""Agents that a message lists."""


def check_frontmatter_agents(checked: CheckedText) -> Iterator[Finding]:
    """Yield findings about `agents` and `default_agent`."""
    try:
        found = entries(checked.root)
    except YamlError:
        return  # see `check_frontmatter`
    agents, default = last(found, "agents"), last(found, "default_agent")
    if agents is not None:
        yield from _definitions(agents)
    if default is None:
        return
    name = text_of(default.node)
    if not name:
        yield _wrong_type(default, "`default_agent`", "a name")
    elif name in _temporary_agents(checked):
        return  # see `check_default_agents`
    elif checked.can_judge_agents and name not in checked.known_agents:
        yield findings.UNKNOWN_AGENT.at(
            default.line + YAML_LINE,
            what="`default_agent`",
            name=name[:_SHOWN],
            known=_listed(checked.known_agents),
        )


def check_named_agents(checked: CheckedText) -> Iterator[Finding]:
    """Yield undefined agents, if the file defines any, and findings about `%agent` cells."""
    known = set(checked.known_agents)
    for cell in checked.cells:
        source = _agent_source(cell.head)
        line = parse_agent_line(source)
        first_line = parse_agent_line(source.lstrip().partition("\n")[0])
        if first_line is not None and _is_python(cell.head, checked.rule):
            yield findings.AGENT_IN_PYTHON.at(cell.head.line, verb=first_line.verb)
        elif line is not None:
            yield from _unreadable(f"%agent {line.verb}", line.problem, cell.head.line)
            if line.verb == "new":
                known.add(line.name)
                yield from _temporary(line, cell.head.line)
        for located in (cell.head, *cell.below) if checked.agents.names else ():
            name = _agent_of(located)
            if name is not None and name not in known:
                yield findings.UNDEFINED_AGENT.at(
                    located.footnote_line, name=name[:_SHOWN], known=_listed(known)
                )


def check_default_agents(checked: CheckedText) -> Iterator[Finding]:
    """Yield messages without an answer whose agent is only made below, and defaults that nothing defines.

    A temporary agent exists for the cells below its cell, also where `default_agent` names it.
    """
    temporary = _temporary_agents(checked)
    known = set(checked.known_agents)
    default, what = checked.agents.default, "`default_agent`"
    for cell in checked.cells:
        line = _agent_line(cell.head, checked.rule)
        if line is not None and line.verb == "new":
            known.add(line.name)
        elif line is not None and line.problem is None:
            default, what = line.name, "`%agent default` above"
            if checked.can_judge_agents and default not in known | temporary.keys():
                yield findings.UNKNOWN_AGENT.at(
                    cell.head.line,
                    what="`%agent default`",
                    name=default[:_SHOWN],
                    known=_listed(known | temporary.keys()),
                )
        elif (
            default in temporary and default not in known and _waits_for_default(cell, checked.rule)
        ):
            yield findings.AGENT_TOO_LATE.at(
                cell.head.line, what=what, name=default[:_SHOWN], line=temporary[default]
            )


def _temporary_agents(checked: CheckedText) -> dict[str, int]:
    """Return the agents that `%agent new` cells make, with the line of the first such cell."""
    found: dict[str, int] = {}
    for cell in checked.cells:
        line = _agent_line(cell.head, checked.rule)
        if line is not None and line.verb == "new":
            found.setdefault(line.name, cell.head.line)
    return found


def _waits_for_default(cell: CheckedCell, rule: CellRule) -> bool:
    """Return whether a cell is a message without an answer that names no agent."""
    text = cell.head.cell.body
    is_message = bool(text.strip()) and rule.is_message(rule.read_body(text))
    is_answered = any(block.agent is not None for block in cell.below)
    return (
        cell.head.role == "prompt"
        and is_message
        and not is_answered
        and _agent_of(cell.head) is None
    )


def _definitions(agents: Entry) -> Iterator[Finding]:
    if not isinstance(agents.node, yaml.MappingNode):
        if kind_of(agents.node) != "null":
            yield _wrong_type(agents, "`agents`", "a mapping of names to properties")
        return
    try:
        plain_value(agents.node)
    except YamlError as error:
        yield findings.UNREADABLE_AGENTS.at(agents.line + YAML_LINE, problem=error)
        return
    for agent in entries(agents.node):
        if isinstance(agent.node, yaml.MappingNode):
            for item in entries(agent.node):
                value, shown = plain_value(item.node), describe_node(item.node)
                yield from _property(agent.key, item.key, value, shown, line=item.line + YAML_LINE)
        elif kind_of(agent.node) != "null":
            yield _wrong_type(agent, f"the agent `{agent.key[:_SHOWN]}`", "a mapping of properties")


def check_msg_lines(checked: CheckedText) -> Iterator[Finding]:
    """Yield a finding for each `%%msg` line that cannot be read."""
    for located in checked.text_cells:
        msg = parse_msg_line(located.cell.body) if located.role == "prompt" else None
        if msg is not None:
            yield from _unreadable(MSG_MAGIC, msg.problem, located.body_line)


def _unreadable(magic: str, problem: str | None, line: int) -> Iterator[Finding]:
    if problem is not None:
        yield findings.UNREADABLE_MAGIC.at(line, magic=magic, problem=problem)


def _temporary(magic: AgentLine, line: int) -> Iterator[Finding]:
    """Yield findings about the properties of a `%agent new` cell."""
    for key, value in property_table(magic.attributes).items():
        if key == "system_prompt":
            yield findings.TEMPORARY_AGENT.at(line, name=magic.name[:_SHOWN])
        else:
            yield from _property(magic.name, key, value, f"`{_one_line(value)}`", line=line)


def _property(agent: str, key: str, value: Any, shown: str, *, line: int) -> Iterator[Finding]:
    """Yield a finding for a property that a turn would not accept."""
    known = find_property(key)
    what = f"`{_one_line(key)}` of the agent `{agent[:_SHOWN]}`"
    if known is None:
        near = get_close_matches(key[:_SHOWN], PROPERTIES, n=1)
        row = findings.MISSPELLED_PROPERTY if near else findings.UNKNOWN_PROPERTY
        yield row.at(line, what=what, near="".join(near))
    elif known.is_users:
        yield findings.USERS_PROPERTY.at(line, what=what, why=USERS_OWN)
    elif value is not None:
        try:
            known.read(value)
        except ValueError:
            row = findings.NARROWING_TYPE if known.narrows else findings.AGENTS_TYPE
            yield row.at(line, expected=known.expected, what=what, found=shown)


def _wrong_type(entry: Entry, what: str, expected: str) -> Finding:
    return findings.AGENTS_TYPE.at(
        entry.line + YAML_LINE, expected=expected, what=what, found=describe_node(entry.node)
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(name[:_SHOWN] for name in names)[:_NAMED])


def _one_line(value: Any) -> str:
    return " ".join(str(value)[: 2 * _SHOWN].split())[:_SHOWN]


def _agent_line(head: LocatedCell, rule: CellRule) -> AgentLine | None:
    return None if _is_python(head, rule) else parse_agent_line(_agent_source(head))


def _agent_source(head: LocatedCell) -> str:
    """Return the source of a cell that may be a `%agent` line; empty for any other."""
    if head.role not in ("prompt", "code") or "%agent" not in head.cell.body:
        return ""
    return parse_fence(head.cell.body).code if head.role == "code" else head.cell.body


def _is_python(head: LocatedCell, rule: CellRule) -> bool:
    """Return whether code is Python and nothing else: its fence names no language, or there is no fence.

    Where cells are Python, msgbook's magics stand in such fences.
    """
    if head.role != "code" or rule is CODE_FIRST_CELLS:
        return False
    info = (parse_fence(head.cell.body).info or "").split(" ", 1)[0]
    return info in PYTHON_INFO


def _agent_of(located: LocatedCell) -> str | None:
    """Return the agent that a text cell names."""
    if located.role == "prompt":
        msg = parse_msg_line(located.cell.body)
        named = (msg.attributes.get("agent") if msg else None) or located.value("agent") or ""
        return named.strip() or None
    return located.agent or (located.value("agent") if located.role != "attachment" else None)


# Rules about the frontmatter: its YAML, and its settings for Jupytext.


_KEYS = ("agents", "default_agent", "message_section", "jupyter")
_OLD_KEYS = ("jupytext_formats", "nbrmd_formats", "jupytext_format_version")


def check_frontmatter(checked: CheckedText) -> Iterator[Finding]:
    """Yield findings about the frontmatter, by line."""
    yield from _broken_jupyter(checked)
    try:
        root = checked.root
    except YamlError as error:
        yield findings.INVALID_YAML.at(error.line + YAML_LINE, problem=error)
        return
    found = entries(root)
    if root is not None and not isinstance(root, yaml.MappingNode):
        yield findings.NO_MAPPING.at(YAML_LINE + 1, found=describe_node(root))
    yield from _duplicates(found)
    yield from _jupytext(checked, found)


def _broken_jupyter(checked: CheckedText) -> Iterator[Finding]:
    match = re.search(r"^jupyter:(?=[ \t\r\n]|$)", checked.user, re.M)
    if match and checked.ours is None:
        line = checked.user.count("\n", 0, match.start()) + 1
        yield findings.JUPYTER_KEY.at(line + YAML_LINE)


def _duplicates(found: list[Entry]) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for entry in found:
        if entry.key in seen and entry.key in _KEYS:
            yield findings.DUPLICATE_KEY.at(
                entry.line + YAML_LINE, key=entry.key, line=seen[entry.key]
            )
        seen.setdefault(entry.key, entry.line + YAML_LINE)


def _jupytext(checked: CheckedText, found: list[Entry]) -> Iterator[Finding]:
    """Yield settings for Jupytext that have no effect (docs/format.md, section 7)."""
    ours = checked.ours or {}
    jupyter = last(found, "jupyter")
    line = (jupyter.line if jupyter else 1) + YAML_LINE
    lines = {e.key: e.line + YAML_LINE for e in entries(jupyter.node if jupyter else None)}
    given = last(found, "jupytext")
    if given is not None:
        yield findings.JUPYTEXT_MISPLACED.at(given.line + YAML_LINE)
    for key in _OLD_KEYS:
        if key in ours:
            yield findings.JUPYTEXT_OLD_KEY.at(lines.get(key, line), key=key)
    jupytext = ours.get("jupytext")
    jupytext_line = lines.get("jupytext", line)
    if jupytext is not None and not isinstance(jupytext, dict):
        yield findings.JUPYTEXT_TYPE.at(jupytext_line)
    elif jupytext:
        for key in sorted(jupytext.keys() - {"formats", "text_representation"}):
            yield findings.JUPYTEXT_KEY.at(jupytext_line, key=key[:_SHOWN])
        if "formats" in jupytext:
            yield from _formats(jupytext["formats"], jupytext_line, checked.heading is not None)


def _formats(formats: object, line: int, section: bool) -> Iterator[Finding]:
    own = "md:msg" if section else ".msg.md:msg"
    if not isinstance(formats, str):
        yield findings.FORMATS_TYPE.at(line, own=own)
        return
    for name in (name.strip() for name in formats.split(",")):
        if name in ("ipynb", own):
            continue
        is_unnamed = name == own.removesuffix(":msg")
        row = findings.FORMATS_UNNAMED if is_unnamed else findings.FORMATS_UNKNOWN
        yield row.at(line, name=name[:_SHOWN], own=own)


# Words of `%%msg` lines.


_MAGIC = re.compile(r"\s*(%{1,3}\w{1,24})(?![^\s\w])([^\n]*)")


def check_msg_words(checked: CheckedText) -> Iterator[Finding]:
    """Yield attributes of `%%msg` lines that are unknown, and magics that are nearly `%%msg`."""
    for located in checked.text_cells:
        if located.role != "prompt" or "%" not in located.cell.body[:_SHOWN]:
            continue
        msg = parse_msg_line(located.cell.body)
        if msg is not None:
            for key in msg.attributes.keys() - MSG_KEYS:
                yield _unknown_key(located.body_line, key)
            continue
        magic = _MAGIC.match(located.cell.body)
        if magic is not None and _is_near_msg(magic[1], magic[2]):
            is_cell_magic = magic[1].startswith("%%")
            row = findings.MISSPELLED_MAGIC if is_cell_magic else findings.MISSPELLED_LINE
            yield row.at(located.body_line, found=magic[1], magic=MSG_MAGIC)


def _unknown_key(line: int, key: str) -> Finding:
    near = ["history"] if is_near_history(key) else get_close_matches(key[:_SHOWN], MSG_KEYS, n=1)
    row = findings.MISSPELLED_KEY if near else findings.UNKNOWN_KEY
    known = ", ".join(sorted(MSG_KEYS))
    return row.at(line, magic=MSG_MAGIC, key=key[:_SHOWN], near="".join(near), known=known)


def _is_near_msg(magic: str, rest: str) -> bool:
    if magic == MSG_MAGIC:
        return False
    is_near = bool(get_close_matches(magic.casefold(), (MSG_MAGIC,), cutoff=0.78))
    return is_near or (magic.startswith("%%") and says_history(rest))
