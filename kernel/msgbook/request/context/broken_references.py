"""References of a prompt that cannot be read, whatever they were meant to name. Pure."""

from __future__ import annotations

import re

from msgbook.request.context.tags import Tag, TagError, find_tags, parse_tag
from msgbook.request.context.tool_arguments import ToolArguments
from msgbook.text import one_line

_CALL = re.compile(r"[A-Za-z_][\w.-]*\s*\{(?:\s*[\"'}]|[^{},]*:)")
"""The beginning of a tag that was meant as a tool call; a pattern such as `a{b,c}.csv` is none."""
_MACRO = "{{"


def list_broken_references(text: str) -> list[str]:
    """Return a sentence for each reference that cannot be read, in order, each once.

    A file that does not exist is none of them: it may be made later. Neither is a reference with a macro, which is
    read when the macro is expanded.
    """
    tags, problems = find_tags(text, bare=False)
    broken = [(problem.line, problem.message) for problem in problems]
    for tag in tags:
        if reason := _problem_of(tag):
            line = text.count("\n", 0, tag.start) + 1
            broken.append((line, f"@[{one_line(tag.text, 200)}] cannot be read: {reason}."))
    return list(dict.fromkeys(words for _, words in sorted(broken, key=lambda found: found[0])))


def _problem_of(tag: Tag) -> str | None:
    """Return why a tag in brackets cannot be read; None if it can."""
    if _MACRO in tag.text:
        return None
    try:
        if tag.tool:
            ToolArguments({}).read(tag.arguments)
        elif _CALL.match(tag.text):
            return "expected a tool with its arguments as a JSON object"
        else:
            parse_tag(tag.text)
    except TagError as error:
        return str(error).rstrip(".")
    return None
