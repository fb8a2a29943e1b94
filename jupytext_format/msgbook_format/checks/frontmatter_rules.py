"""Findings in the frontmatter: its YAML, the agents, what is said to Jupytext."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import yaml

from msgbook_format.checks.finding import Finding
from msgbook_format.checks.view import View
from msgbook_format.yaml_nodes import Entry, YamlError, compose, entries, kind_of, last, text_of

_FIRST_LINE = 1
"""Lines above the YAML: the opening `---`."""

_KEYS = ("agents", "default_agent", "message_section", "jupyter")
_OLD_KEYS = ("jupytext_formats", "nbrmd_formats", "jupytext_format_version")


def _is(*kinds: str) -> Callable[[yaml.Node], bool]:
    return lambda node: kind_of(node) in kinds


def _is_names(node: yaml.Node) -> bool:
    if isinstance(node, yaml.SequenceNode):
        return all(text_of(item) is not None for item in node.value)
    return text_of(node) is not None


_PROPERTIES: dict[str, tuple[str, Callable[[yaml.Node], bool]]] = {
    "models": ("a list of names, or one name", _is_names),
    "context_window": ("a whole number", _is("int")),
    "max_output_tokens": ("a whole number", _is("int")),
    "reasoning": ("true or false", _is("bool")),
    "use_temperature": ("true or false", _is("bool")),
    "temperature": ("a number", _is("int", "float")),
    "system_prompt": ("a text", _is("str")),
}
"""What seed 004 says of an agent's properties; others may be anything."""


def frontmatter(view: View) -> Iterator[Finding]:
    """What is wrong in the frontmatter, line by line."""
    segment = view.layout.frontmatter
    if segment is None:
        return
    core = segment.core
    inner = core[core.index("\n") + 1 : core.rindex("---")]
    yield from _broken_jupyter(view)
    try:
        root = compose(inner)
    except YamlError as error:
        message = f"the frontmatter is no YAML here: {error}; no agents are read from it"
        yield Finding(error.line + _FIRST_LINE, "frontmatter-yaml", message)
        return
    found = entries(root)
    if root is not None and not isinstance(root, yaml.MappingNode):
        message = f"expected `key: value` lines in the frontmatter, found {_shown(root)}"
        yield Finding(_FIRST_LINE + 1, "frontmatter-yaml", message)
    yield from _duplicates(found)
    yield from _agents(found)
    yield from _jupytext(view, found)


def _broken_jupyter(view: View) -> Iterator[Finding]:
    match = re.search(r"^jupyter:(?=[ \t\r\n]|$)", view.user, re.M)
    if match and view.ours is None:
        yield Finding(
            view.user.count("\n", 0, match.start()) + 1 + _FIRST_LINE,
            "jupyter-key",
            "expected a mapping of JSON values under `jupyter:`, found something else: "
            "kernel and metadata of the notebook are not read; mend it or delete the key",
        )


def _duplicates(found: list[Entry]) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for entry in found:
        if entry.key in seen and entry.key in _KEYS:
            yield Finding(
                entry.line + _FIRST_LINE,
                "duplicate-key",
                f"`{entry.key}` stands in line {seen[entry.key]} too; keep one",
            )
        seen.setdefault(entry.key, entry.line + _FIRST_LINE)


def _agents(found: list[Entry]) -> Iterator[Finding]:
    agents, default = last(found, "agents"), last(found, "default_agent")
    if default is not None and not text_of(default.node):
        yield _type(default, "`default_agent`", "a name")
    if agents is None:
        return
    if not isinstance(agents.node, yaml.MappingNode):
        yield _type(agents, "`agents`", "a mapping of names to properties")
        return
    defined = entries(agents.node)
    for agent in defined:
        if not isinstance(agent.node, yaml.MappingNode):
            if kind_of(agent.node) != "null":
                yield _type(agent, f"the agent `{agent.key[:40]}`", "a mapping of properties")
            continue
        for item in entries(agent.node):
            expected, fits = _PROPERTIES.get(item.key, ("", None))
            if fits is not None and not fits(item.node):
                yield _type(item, f"`{item.key}` of the agent `{agent.key[:40]}`", expected)
    name = text_of(default.node) if default else None
    if default is not None and name and defined and all(a.key != name for a in defined):
        yield Finding(
            default.line + _FIRST_LINE,
            "unknown-agent",
            f"`default_agent` is `{name[:40]}`, which `agents` does not define: "
            f"expected one of {', '.join(a.key[:40] for a in defined[:20])}",
        )


def _type(entry: Entry, what: str, expected: str) -> Finding:
    message = f"expected {expected} for {what}, found {_shown(entry.node)}"
    return Finding(entry.line + _FIRST_LINE, "agents-type", message)


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return f"`{' '.join(node.value[:80].split())[:40]}`"
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def _jupytext(view: View, found: list[Entry]) -> Iterator[Finding]:
    """What Jupytext is told and does not obey (docs/format.md, section 7)."""
    ours = view.ours or {}
    jupyter = last(found, "jupyter")
    line = (jupyter.line if jupyter else 1) + _FIRST_LINE
    lines = {e.key: e.line + _FIRST_LINE for e in entries(jupyter.node if jupyter else None)}
    given = last(found, "jupytext")
    if given is not None:
        message = "`jupytext` is not read here: what is meant for Jupytext stands under `jupyter:`"
        yield Finding(given.line + _FIRST_LINE, "jupytext-ignored", message)
    for key in _OLD_KEYS:
        if key in ours:
            message = f"`{key}` is a key of old versions and not obeyed; write `jupytext: formats:`"
            yield Finding(lines.get(key, line), "jupytext-ignored", message)
    jupytext = ours.get("jupytext")
    at = lines.get("jupytext", line)
    if jupytext is not None and not isinstance(jupytext, dict):
        yield Finding(at, "jupytext-ignored", "expected a mapping for `jupytext`, found none")
    elif jupytext:
        for key in sorted(jupytext.keys() - {"formats", "text_representation"}):
            message = f"`{key[:40]}` under `jupytext` is not obeyed: only `formats` is"
            yield Finding(at, "jupytext-ignored", message)
        if "formats" in jupytext:
            yield from _formats(jupytext["formats"], at, view.heading is not None)


def _formats(formats: object, line: int, section: bool) -> Iterator[Finding]:
    own = "md:msg" if section else ".msg.md:msg"
    if not isinstance(formats, str):
        message = f"expected `formats: ipynb,{own}` as one text, found a list or mapping"
        yield Finding(line, "jupytext-formats", f"{message}: the file is not paired")
        return
    for name in (name.strip() for name in formats.split(",")):
        if name in ("ipynb", own):
            continue
        told = "the name of the format is missing" if name == own[:-4] else "it is not obeyed"
        message = f"`{name[:40]}` in `formats`: {told}; only `ipynb` and `{own}` are"
        yield Finding(line, "jupytext-formats", message)
