"""The content of a message as text of a cell, and back."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax import parse_msg_line

_UNKNOWN_PART = "[不支持的内容类型: {}]"
"""Text in place of a part of an unknown type (seed 000)."""

_GHOST_BLOCK = re.compile(
    r"\s*<content_reference>\s*"
    r"(?:\{.*\}|(?:(?!<content_reference>).)*?^\# (?:Source|Tool Call): .*)"
    r"\s*</content_reference>\s*\Z",
    re.DOTALL | re.MULTILINE,
)
_NEEDS_ANGLES = re.compile(r"[\s()]")


def content_text(content: Any) -> str:
    """Return the content of a message as Markdown, as seed 000 shows it.

    Content is a text, a content part, or a list of parts. Text parts are joined, an image is
    `![image](url)`, and any other part is named by its type.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(map(_part_text, content if isinstance(content, list) else [content]))


def shown_text(content: Any) -> str:
    """Return the text of a user's message without the block of references that was sent with it.

    Old files have this block at the end of the text. It is only cut off if it has the form in which
    that program wrote it: a JSON object, or headings `# Source:` or `# Tool Call:`.
    """
    text = content_text(content)
    if "<content_reference>" not in text:
        return text
    start = text.rindex("<content_reference>")
    lead = len(text[:start].rstrip())
    return text[:lead] if _GHOST_BLOCK.match(text, lead) else text


def result_content(content: Any) -> str | list[Any]:
    """Return the content of a result in a turn: a text or a list of parts as seed 001 has them."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return [_part(part) for part in (content if isinstance(content, list) else [content])]


def escaped(text: str) -> str:
    """Return the source of a prompt with that text, whatever it begins with.

    A `\\` in front makes it a message even where it looks like a magic or a command.
    """
    return f"\\{text}" if text.lstrip()[:1] in ("!", "%", "\\") else text


def prompt_text(source: str) -> str:
    """Return the text that a prompt sends: without its `%%msg` line or its leading `\\`."""
    line = parse_msg_line(source)
    if line is not None:
        return source[line.end :]
    stripped = source.lstrip()
    if stripped.startswith("\\"):
        return source[: len(source) - len(stripped)] + stripped[1:]
    return source


def _part_text(part: Any) -> str:
    match part:
        case str():
            return part
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "image" | "image_url", "image_url": str(url) | {"url": str(url)}}:
            angled = _NEEDS_ANGLES.search(url) and not re.search(r"[<>\n]", url)
            return f"![image](<{url}>)" if angled else f"![image]({url})"
        case {"type": str(kind)}:
            return _UNKNOWN_PART.format(kind)
        case _:
            return _UNKNOWN_PART.format(jsontext.dumps(part)[:80])


def _part(part: Any) -> Any:
    match part:
        case str():
            return {"type": "text", "text": part}
        case {"type": "image" | "image_url", "image_url": str(url)}:
            return {"type": "image_url", "image_url": {"url": url}}
        case {"type": "image", "image_url": {"url": str()} as image}:
            return {"type": "image_url", "image_url": image}
        case _:
            return part
