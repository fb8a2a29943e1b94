"""Ordinary Markdown files that become conversations."""

from __future__ import annotations

import re

from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.syntax.frontmatter_key import FrontmatterError, with_frontmatter_key
from msgbook_format.syntax.markers import MARKER
from msgbook_format.syntax.section import split_section
from msgbook_format.syntax.split import BOM

SECTION = "Discussion"
"""Heading of the messages that `message_section: true` stands for (seed 004)."""

_KEY = "message_section"
_NAMED = re.compile(rf"^([\"']?){_KEY}\1[ \t]*:", re.M)
_BEGINS_WITH_CELL = re.compile(rf"\s*^{MARKER}", re.M)
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*\r?(\n|$)")


def with_message_section(text: str) -> str:
    """Return an ordinary Markdown text with the key `message_section` in its frontmatter.

    Everything else stays as it is. The writer adds the heading with the first message. Cells that
    already stand below such a heading are its messages.

    Raises:
        FrontmatterError: The frontmatter cannot be read or has the key with another value, or text
            that is no message stands below a heading of that name.
    """
    body = text.removeprefix(BOM)
    end = split_frontmatter(body)
    opening = _OPENING.match(body)
    if opening and (not end or opening[1] != "---"):
        raise FrontmatterError(
            f"expected a frontmatter of YAML between two lines `---`, found a line `{opening[1]}` at the "
            f"beginning alone: add `{_KEY}: true` to the frontmatter by hand"
        )
    if _NAMED.search(parse_frontmatter(body[:end])[0] if end else ""):
        raise FrontmatterError(
            f"expected a name or `true` for the key `{_KEY}` of the frontmatter, found something else: "
            "edit it by hand"
        )
    section = split_section(body[end:], SECTION)
    below = section[1] if section else ""
    if below.strip() and not _BEGINS_WITH_CELL.match(below):
        raise FrontmatterError(
            f"the text below its heading `{SECTION}` would become part of the messages. Add "
            f"`{_KEY}: NAME` to the frontmatter, with a NAME that no heading has"
        )
    return with_frontmatter_key(text, _KEY, "true", lambda user: section_name(user) == SECTION)
