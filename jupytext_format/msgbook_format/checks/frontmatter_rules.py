"""Rules about the frontmatter: its YAML, and its settings for Jupytext."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from msgbook_format.checks.checked_text import YAML_LINE, CheckedText, describe_node
from msgbook_format.checks.finding import Finding
from msgbook_format.syntax.yaml_nodes import Entry, YamlError, entries, last

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
