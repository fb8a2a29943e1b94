"""A Markdown file with a frontmatter, as agents and skills are written."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgbook_format.syntax import YamlError, compose, plain_value, split_frontmatter


class MarkdownFile(NamedTuple):
    """What such a file says."""

    table: dict[str, Any]
    """The frontmatter; empty without a readable one."""
    body: str
    """What follows, without blank lines around it."""
    problem: str | None = None
    """Why the frontmatter is not read."""


def split_markdown(text: str) -> MarkdownFile:
    """A file's frontmatter and body. Line ends become LF."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    end = split_frontmatter(text)
    block, body = text[:end], text[end:].strip()
    if not block:
        return MarkdownFile({}, body)
    inner = block[block.index("\n") + 1 : block.rindex("---")]
    try:
        root = compose(inner)
        table = plain_value(root) if root is not None else {}
    except YamlError as error:
        return MarkdownFile({}, body, f"no YAML in line {error.line + 1}: {error}.")
    if not isinstance(table, dict):
        return MarkdownFile({}, body, "the frontmatter is no mapping of names to values.")
    return MarkdownFile(table, body)
