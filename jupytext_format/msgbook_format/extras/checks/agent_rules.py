"""Rules about agents, their definitions and names that nothing defines, and about the frontmatter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

import yaml

from msgbook_format.agents.properties import PROPERTIES, USERS_OWN, find_property, property_table
from msgbook_format.cells.code import PYTHON_INFO
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
        return  # see `frontmatter_rules`
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
        message = f"`default_agent` names `{name[:_SHOWN]}`, but no such agent is defined"
        yield Finding(
            default.line + YAML_LINE,
            "unknown-agent",
            f"{message}: expected one of {_listed(checked.known_agents)}",
        )


def check_named_agents(checked: CheckedText) -> Iterator[Finding]:
    """Yield undefined agents, if the file defines any, and findings about `%agent` cells."""
    known = set(checked.known_agents)
    for cell in checked.cells:
        source = _agent_source(cell.head)
        line = parse_agent_line(source)
        first_line = parse_agent_line(source.lstrip().partition("\n")[0])
        if first_line is not None and _is_python(cell.head, checked.rule):
            message = f"`%agent {first_line.verb}` is in a Python fence, where it has no effect"
            yield Finding(
                cell.head.line, "agent-in-python", f"{message}: change the fence to ```ipython"
            )
        elif line is not None:
            yield from _unreadable(f"%agent {line.verb}", line.problem, cell.head.line)
            if line.verb == "new":
                known.add(line.name)
                yield from _temporary(line, cell.head.line)
        for located in (cell.head, *cell.below) if checked.agents.names else ():
            name = _agent_of(located)
            if name is not None and name not in known:
                yield Finding(
                    located.footnote_line,
                    "unknown-agent",
                    f"the agent `{name[:_SHOWN]}` is not defined above: "
                    f"expected one of {_listed(known)}",
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
                message = (
                    f"`%agent default` names `{default[:_SHOWN]}`, but no such agent is defined"
                )
                listed = _listed(known | temporary.keys())
                yield Finding(
                    cell.head.line, "unknown-agent", f"{message}: expected one of {listed}"
                )
        elif (
            default in temporary and default not in known and _waits_for_default(cell, checked.rule)
        ):
            yield Finding(
                cell.head.line,
                "agent-too-late",
                f"{what} names the agent `{default[:_SHOWN]}`, which the cell in line "
                f"{temporary[default]} makes for the cells below it alone: this message will fail. Move "
                "that cell up, or name another agent in the message",
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
        message = f"{error}. No agents are read."
        yield Finding(agents.line + YAML_LINE, "frontmatter-yaml", message)
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
        yield Finding(line, "unreadable-magic", f"`{magic}` cannot be run: {problem}")


def _temporary(magic: AgentLine, line: int) -> Iterator[Finding]:
    """Yield findings about the properties of a `%agent new` cell."""
    for key, value in property_table(magic.attributes).items():
        if key == "system_prompt":
            message = f"the temporary agent `{magic.name[:_SHOWN]}` cannot set `system_prompt`"
            yield Finding(
                line, "temporary-agent", f"{message}; only `agents:` in the frontmatter can"
            )
        else:
            yield from _property(magic.name, key, value, f"`{_one_line(value)}`", line=line)


def _property(agent: str, key: str, value: Any, shown: str, *, line: int) -> Iterator[Finding]:
    """Yield a finding for a property that a turn would not accept."""
    known = find_property(key)
    what = f"`{_one_line(key)}` of the agent `{agent[:_SHOWN]}`"
    if known is None:
        near = get_close_matches(key[:_SHOWN], PROPERTIES, n=1)
        suggestion = f". Did you mean `{near[0]}`?" if near else ""
        yield Finding(line, "unknown-property", f"{what} is unknown and ignored{suggestion}")
    elif known.is_users:
        yield Finding(line, "users-property", f"{what} is ignored: {USERS_OWN}")
    elif value is not None:
        try:
            known.read(value)
        except ValueError:
            message = f"expected {known.expected} for {what}, found {shown}"
            consequence = ". Until then nothing is allowed" if known.narrows else ""
            yield Finding(line, "agents-type", message + consequence)


def _wrong_type(entry: Entry, what: str, expected: str) -> Finding:
    message = f"expected {expected} for {what}, found {describe_node(entry.node)}"
    return Finding(entry.line + YAML_LINE, "agents-type", message)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(name[:_SHOWN] for name in names)[:_NAMED])


def _one_line(value: Any) -> str:
    return " ".join(str(value)[: 2 * _SHOWN].split())[:_SHOWN]


def _agent_line(head: LocatedCell, rule: CellRule) -> AgentLine | None:
    """Return the `%agent` line that a cell is, unless it is Python."""
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
        message = f"the frontmatter is not valid YAML here: {error}. Its agents are not read."
        yield Finding(error.line + YAML_LINE, "frontmatter-yaml", message)
        return
    found = entries(root)
    if root is not None and not isinstance(root, yaml.MappingNode):
        message = f"expected `key: value` lines in the frontmatter, found {describe_node(root)}"
        yield Finding(YAML_LINE + 1, "frontmatter-yaml", message)
    yield from _duplicates(found)
    yield from _jupytext(checked, found)


def _broken_jupyter(checked: CheckedText) -> Iterator[Finding]:
    match = re.search(r"^jupyter:(?=[ \t\r\n]|$)", checked.user, re.M)
    if match and checked.ours is None:
        yield Finding(
            checked.user.count("\n", 0, match.start()) + 1 + YAML_LINE,
            "jupyter-key",
            "expected a mapping of JSON values below `jupyter:`, found something else. Kernel and "
            "metadata of the notebook are not read. Correct the value, or delete the key.",
        )


def _duplicates(found: list[Entry]) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for entry in found:
        if entry.key in seen and entry.key in _KEYS:
            yield Finding(
                entry.line + YAML_LINE,
                "duplicate-key",
                f"`{entry.key}` is already set in line {seen[entry.key]}; keep only one",
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
        message = "`jupytext` has no effect here: move it below `jupyter:`"
        yield Finding(given.line + YAML_LINE, "jupytext-ignored", message)
    for key in _OLD_KEYS:
        if key in ours:
            message = (
                f"`{key}` is a key of old versions and has no effect; use `jupytext: formats:`"
            )
            yield Finding(lines.get(key, line), "jupytext-ignored", message)
    jupytext = ours.get("jupytext")
    jupytext_line = lines.get("jupytext", line)
    if jupytext is not None and not isinstance(jupytext, dict):
        yield Finding(
            jupytext_line,
            "jupytext-ignored",
            "expected a mapping for `jupytext`, found another value: it has no effect",
        )
    elif jupytext:
        for key in sorted(jupytext.keys() - {"formats", "text_representation"}):
            message = f"`{key[:40]}` below `jupytext` has no effect: only `formats` has"
            yield Finding(jupytext_line, "jupytext-ignored", message)
        if "formats" in jupytext:
            yield from _formats(jupytext["formats"], jupytext_line, checked.heading is not None)


def _formats(formats: object, line: int, section: bool) -> Iterator[Finding]:
    own = "md:msg" if section else ".msg.md:msg"
    if not isinstance(formats, str):
        message = f"expected text such as `formats: ipynb,{own}`, found a list or mapping"
        yield Finding(line, "jupytext-formats", f"{message}: the file is not paired")
        return
    for name in (name.strip() for name in formats.split(",")):
        if name in ("ipynb", own):
            continue
        is_unnamed = name == own[:-4]
        problem = "lacks the name of the format" if is_unnamed else "has no effect"
        message = f"`{name[:40]}` in `formats` {problem}: only `ipynb` and `{own}` are supported"
        yield Finding(line, "jupytext-formats", message)


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
            yield Finding(located.body_line, "misspelled-mark", _describe_magic(magic[1]))


def _unknown_key(line: int, key: str) -> Finding:
    near = ["history"] if is_near_history(key) else get_close_matches(key[:_SHOWN], MSG_KEYS, n=1)
    suggestion = (
        f". Did you mean `{near[0]}`?" if near else f": expected {', '.join(sorted(MSG_KEYS))}"
    )
    message = f"`{MSG_MAGIC}` has no attribute `{key[:_SHOWN]}`, so it has no effect{suggestion}"
    return Finding(line, "misspelled-mark", message)


def _describe_magic(magic: str) -> str:
    effect = "its attributes have no effect, so it hides nothing"
    if magic.startswith("%%"):
        effect = (
            "the cell is sent as code, its attributes hide nothing, and running it is an error unless there "
            "is such a magic"
        )
    return f"`{magic}` is not `{MSG_MAGIC}`: {effect}. Write `{MSG_MAGIC}`"


def _is_near_msg(magic: str, rest: str) -> bool:
    if magic == MSG_MAGIC:
        return False
    is_near = bool(get_close_matches(magic.casefold(), (MSG_MAGIC,), cutoff=0.78))
    return is_near or (magic.startswith("%%") and says_history(rest))
