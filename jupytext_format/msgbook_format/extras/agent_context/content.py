"""The content of a message as text of a cell, and back; and the shape of an AgentContext."""

from __future__ import annotations

import math
import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax import is_shell_command, parse_msg_line
from msgbook_format.turn import image_url
from msgbook_format.typed import as_dict, as_items, text_or_none

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
    return "" if content is None else "".join(map(_part_text, as_items(content)))


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
    parts = as_items(content)
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
    match part:
        case str(text) | {"type": "text", "text": str(text)}:
            return text
    url = image_url(part)
    if url is not None:
        return _image(url, as_dict(part["image_url"]).get("detail"))
    kind = text_or_none(as_dict(part).get("type"))
    return _UNKNOWN_PART.format(jsontext.dumps(as_page(part))[:80] if kind is None else kind)


def _image(url: str, detail: Any) -> str:
    """Return a Markdown image; its title asks for another detail than the usual one."""
    title = f' "detail={detail}"' if detail in ("low", "high") else ""
    if _NEEDS_ANGLES.search(url) and not _NO_ANGLES.search(url):
        url = f"<{url}>"
    return f"![image]({url}{title})"


# Numbers as a page gives them back: it has floating-point numbers only, and writes 1.0 as 1.


def as_page(value: Any) -> Any:
    """Return a JSON value as it comes back from a page; numbers that it cannot hold are null."""
    match value:
        case dict():
            return {key: as_page(item) for key, item in value.items()}
        case list():
            return [as_page(item) for item in value]
        case bool():
            return value
        case int() | float():
            return _number(value)
    return value


def _number(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


# The shape of an AgentContext (seeds 000 and 001), as far as a notebook depends on it.
#
# Unknown keys may hold anything, everywhere.


ROLES = ("system", "user", "assistant", "tool")


class BrokenContextError(ValueError):
    """A value that is not an AgentContext. The message says what was found instead, and where."""


def require_context(value: Any) -> dict[str, Any]:
    """Return `value`, which is an AgentContext.

    Raises:
        BrokenContextError: It is none.
    """
    context: dict[str, Any] = _require(value, dict, "an object at the top")
    _require(context.get("metadata"), dict, "an object in `metadata`")
    messages = _require(context.get("context"), list, "a list of messages in `context`")
    for number, message in enumerate(messages):
        require_message(message, f"context[{number}]")
    return context


def require_message(message: Any, where: str) -> None:
    """Raise `BrokenContextError` unless `message` is an AgentMessage; `where` is its name."""
    _require(message, dict, f"an object in `{where}`")
    role = message.get("role")
    if role not in ROLES:
        found = repr(role)[:40] if isinstance(role, str) else _kind(role)
        raise BrokenContextError(
            f"expected one of {', '.join(ROLES)} in `{where}.role`, found {found}"
        )
    content = message.get("content")
    if content is not None:
        _require(content, (str, list, dict), f"a text or content parts in `{where}.content`")
    reasoning = message.get("reasoning_content")
    if reasoning is not None:
        _require(reasoning, str, f"a text in `{where}.reasoning_content`")
    calls = message.get("tool_calls")
    if calls is not None:
        _require(calls, list, f"a list in `{where}.tool_calls`")
        for number, call in enumerate(calls):
            _require(call, dict, f"an object in `{where}.tool_calls[{number}]`")


def is_message(message: Any, role: str) -> bool:
    """Return whether `message` is an AgentMessage of that role."""
    try:
        require_message(message, "")
    except BrokenContextError:
        return False
    return bool(message["role"] == role)


def _require(value: Any, kinds: type | tuple[type, ...], what: str) -> Any:
    if not isinstance(value, kinds):
        raise BrokenContextError(f"expected {what}, found {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "nothing" if value is None else names.get(type(value), "a number")
