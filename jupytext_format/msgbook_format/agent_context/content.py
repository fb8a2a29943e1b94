"""The content of a message as text of a cell, and back."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.agent_context.page_numbers import as_page
from msgbook_format.metadata import as_dict
from msgbook_format.syntax import is_shell_command, parse_msg_line
from msgbook_format.turn import image_url

_UNKNOWN_PART = "[不支持的内容类型: {}]"
"""Text in place of a part of an unknown type (seed 000)."""

_OPENING, _CLOSING = "<content_reference>", "</content_reference>"
_GHOST_HEADING = re.compile(r"^# (?:Source|Tool Call): ", re.MULTILINE)
_NEEDS_ANGLES = re.compile(r"[\s()]")
_NO_ANGLES = re.compile(r"[<>\n]")


def content_text(content: Any) -> str:
    """Return the content of a message as Markdown (seed 000).

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
    end = text.rstrip()
    if not end.endswith(_CLOSING) or _OPENING not in end:
        return text
    start = end.rindex(_OPENING)
    block = end[start + len(_OPENING) : -len(_CLOSING)].strip()
    is_json = block.startswith("{") and block.endswith("}")
    return text[:start].rstrip() if is_json or _GHOST_HEADING.search(block) else text


def result_content(content: Any) -> str | list[Any]:
    """Return the content of a result in a turn: a text, or a list of parts as they are."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]


def escaped(text: str) -> str:
    """Return the source of a prompt with that text, whatever it begins with.

    A `\\` in front makes it a message even where it looks like a magic or a command.
    """
    is_safe = text.lstrip()[:1] not in ("%", "\\") and not is_shell_command(text)
    return text if is_safe else f"\\{text}"


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
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    url = image_url(part)
    if url is not None:
        return _image(url, as_dict(part["image_url"]).get("detail"))
    return _UNKNOWN_PART.format(
        kind if isinstance(kind, str) else jsontext.dumps(as_page(part))[:80]
    )


def _image(url: str, detail: Any) -> str:
    """Return a Markdown image; its title asks for another detail than the usual one."""
    title = f' "detail={detail}"' if detail in ("low", "high") else ""
    if _NEEDS_ANGLES.search(url) and not _NO_ANGLES.search(url):
        url = f"<{url}>"
    return f"![image]({url}{title})"
