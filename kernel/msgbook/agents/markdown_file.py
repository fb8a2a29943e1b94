"""Markdown files with a frontmatter: definitions of agents and skills."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgbook_format.syntax import YamlError, compose, plain_value, split_frontmatter


class MarkdownFile(NamedTuple):
    """The parts of a Markdown file."""

    table: dict[str, Any]
    """The frontmatter; empty if there is none, or it cannot be read."""
    body: str
    """The text after the frontmatter, without blank lines around it."""
    problem: str | None = None
    """Why the frontmatter cannot be read; None if it can."""


def split_markdown(text: str) -> MarkdownFile:
    """Split a file into frontmatter and body. Line ends become LF."""
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
        return MarkdownFile({}, body, f"line {error.line + 1} is not YAML: {error}.")
    if not isinstance(table, dict):
        return MarkdownFile({}, body, "expected the frontmatter to map names to values.")
    return MarkdownFile(table, body)
