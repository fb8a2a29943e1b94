"""Setting of `default_agent` in a frontmatter. The user's other lines stay byte for byte."""

from __future__ import annotations

import json
import re

from msgbook_format.agents.definitions import frontmatter_agents
from msgbook_format.syntax.frontmatter import parse_frontmatter, split_frontmatter
from msgbook_format.syntax.split import BOM
from msgbook_format.syntax.yaml_nodes import YamlError, compose, entries, kind_of, last, text_of

_KEY = "default_agent"
_LINE = re.compile(
    rf"^({_KEY}:)[ \t]*"
    r"(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\n]|'')*'|[^\s#\"']\S*+(?:[ \t]++(?!#)\S++)*+)?"
    r"(?=[ \t]+#|[ \t]*\r?$)",
    re.M,
)
_JUPYTER = re.compile(r"^jupyter:(?=[ \t\r\n])", re.M)
_PLAIN = re.compile(r"[A-Za-z_][\w.+/-]*", re.A)


class FrontmatterError(ValueError):
    """The `default_agent` of a frontmatter cannot be set by changing one line."""


def with_default_agent(text: str, agent: str) -> str:
    """Return `text` with `agent` as `default_agent`; a frontmatter is added if there is none.

    Only that line changes. If there is no such line, it becomes the user's last.

    Raises:
        FrontmatterError: The frontmatter is not YAML or not a mapping, or one line cannot set the
            key.
    """
    bom = BOM if text.startswith(BOM) else ""
    body = text.removeprefix(BOM)
    newline = "\r\n" if "\r\n" in body and body.count("\r\n") == body.count("\n") else "\n"
    line = f"{_KEY}: {_spell(agent)}"
    end = split_frontmatter(body)
    if not end:
        gap = newline if body and not body.startswith(("\n", "\r\n")) else ""
        return newline.join((f"{bom}---", line, "---", f"{gap}{body}"))
    block = body[:end]
    user, ours = parse_frontmatter(block)
    if _default(user) == agent:
        return text
    start, stop = block.index("\n") + 1, block.rindex("---")
    inner = block[start:stop]
    try:
        before = _other_keys(inner)
    except YamlError as error:
        raise FrontmatterError(
            f"expected `key: value` lines in the frontmatter; line {error.line + 1}: {error}"
        ) from None
    new = _set_line(inner, line, newline)
    changed = block[:start] + new + block[stop:]
    if not _says(changed, agent, ours) or _other_keys(new) != before:
        raise FrontmatterError(
            f"`{_KEY}` in the frontmatter is not on a line of its own, so it cannot be set "
            "automatically; edit the frontmatter by hand"
        )
    return bom + changed + body[end:]


def _set_line(inner: str, line: str, newline: str) -> str:
    found = list(_LINE.finditer(inner))
    if found:
        # If a key is repeated, YAML takes the last one.
        match = found[-1]
        return inner[: match.start()] + line + inner[match.end() :]
    jupyter = list(_JUPYTER.finditer(inner))
    place = jupyter[-1].start() if jupyter else len(inner)
    return f"{inner[:place]}{line}{newline}{inner[place:]}"


def _says(block: str, agent: str, ours: object) -> bool:
    """Return whether a frontmatter has this default agent and the same mapping of ours."""
    user, new_ours = parse_frontmatter(block)
    # A line in the wrong place would set something else, or break the YAML.
    return _default(user) == agent and new_ours == ours


def _other_keys(inner: str) -> list[tuple[str, str, str | None]]:
    """Return key, type and text of all entries but ours.

    Raises:
        YamlError: There are none, because it is not YAML or not a mapping.
    """
    root = compose(inner)
    if root is not None and not entries(root):
        raise YamlError(1, "it is not a mapping")
    return [(e.key, kind_of(e.node), text_of(e.node)) for e in entries(root) if e.key != _KEY]


def _default(user: str) -> str | None:
    return frontmatter_agents(user).default


def _spell(agent: str) -> str:
    """Return a name as YAML: plain if that reads back as the same text."""
    if _PLAIN.fullmatch(agent):
        entry = last(entries(compose(f"{_KEY}: {agent}")), _KEY)
        if entry is not None and text_of(entry.node) == agent:
            return agent
    return json.dumps(agent, ensure_ascii=False)
