"""Inspection of prompts (Shift+Tab): what a reference, a macro, a magic or a tool stands for."""

from __future__ import annotations

import json
import re
import stat
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.accounting import estimate_text, title_of
from msgbook.cells import source_of
from msgbook.kernel.surroundings import Surroundings, macro_at, reference_at
from msgbook.text import counted, line_span
from msgbook.tools.rights import visible

if TYPE_CHECKING:
    from msgbook.tools.base import Tool

NOT_SENT = "The model is sent the tag as it is written, not yet what it stands for."
"""Said of each reference and macro."""

_RANGE = re.compile(r"(.+?):(\d+)(?::(\d+))?")
_MOST_BYTES = 2_000_000
"""Of a file that is looked at."""
_SHOWN_LINES = 20
_SHOWN_CHARACTERS = 2000
_SHOWN_ENTRIES = 50
_MOST_ENTRIES = 5000
_FIRST_WORD = re.compile(r"\s*(%{1,2}\w+)")


def inspect(code: str, cursor: int, around: Surroundings, help_text: str) -> str | None:
    """What stands at the cursor of a prompt or of one of msgbook's magics; None for plain text.

    Args:
        cursor: In code points; may be out of range.
        help_text: Where each magic has a line that begins with its name.
    """
    cursor = max(0, min(cursor, len(code)))
    magic = _FIRST_WORD.match(code)
    if magic and cursor <= magic.end():
        return _magic_help(magic[1], help_text)
    # On the brackets, too.
    for place in (cursor, cursor + 1, cursor + 2, cursor - 1, cursor - 2):
        if not 0 <= place <= len(code):
            continue
        if tag := reference_at(code, place):
            return _cut(_reference(tag.content.strip(), around))
        if tag := macro_at(code, place):
            return _cut(_macro(tag.content.strip(), around.macros(code)))
    return None


def reply(text: str | None) -> dict[str, Any]:
    """The content of an `inspect_reply`."""
    data = {} if text is None else {"text/plain": text}
    return {"status": "ok", "found": text is not None, "data": data, "metadata": {}}


def _magic_help(name: str, help_text: str) -> str | None:
    lines = help_text.splitlines()
    found = []
    for number, line in enumerate(lines):
        if line.split(maxsplit=1)[:1] == [name]:
            found.append(line)
            following = lines[number + 1 : number + 2]
            found += [more for more in following if more.startswith(" ")]
    return "\n".join(found) or None


def _macro(name: str, macros: dict[str, str]) -> str:
    if name not in macros:
        return f"{name}: neither this cell nor another one that is known defines it."
    return f"{name} = {visible(macros[name])}\n\n{NOT_SENT}"


def _reference(content: str, around: Surroundings) -> str:
    name, brace, _ = content.partition("{")
    tool = next((tool for tool in around.tools if tool.name == name), None)
    if brace and tool:
        return f"{_signature(tool)}\n\n{NOT_SENT}"
    if content.startswith("cell:"):
        cell = around.named.get(content.removeprefix("cell:"))
        if cell is None:
            return f"{visible(content)}: no cell with this id is known."
        return f"Cell: {title_of(cell)}\n\n{visible(_head(source_of(cell)))}\n\n{NOT_SENT}"
    if content.startswith("py:"):
        name = content.removeprefix("py:").strip()
        return f"{visible(name)}: the notebook's Python has no such name."
    try:
        return f"{_path(content, around)}\n\n{NOT_SENT}"
    except (OSError, ValueError, RuntimeError) as error:
        return f"{visible(content)}: {getattr(error, 'strerror', None) or error}"


def _path(content: str, around: Surroundings) -> str:
    path, lines = content, None
    ranged = _RANGE.fullmatch(content)
    if ranged and not (around.folder / content).exists():
        path = ranged[1]
        lines = (int(ranged[2]), int(ranged[3] or ranged[2]))
    real = (around.folder / path).resolve()
    objection = around.objection(real)
    if objection is not None:
        return f"{visible(path)} is not free to read: {visible(objection)}"
    status = real.stat()
    if stat.S_ISDIR(status.st_mode):
        return _folder(path, real, around)
    if not stat.S_ISREG(status.st_mode):
        return f"{visible(path)} is no regular file."
    return _file(path, real, status.st_size, lines)


def _folder(path: str, real: Path, around: Surroundings) -> str:
    names = sorted(
        entry.name + ("/" if entry.is_dir() else "")
        for entry in islice(real.iterdir(), _MOST_ENTRIES)
        if around.objection(entry.resolve()) is None
    )
    shown = "\n".join(map(visible, names[:_SHOWN_ENTRIES]))
    more = len(names) - _SHOWN_ENTRIES
    return f"{visible(path)}: a folder\n\n{shown}" + (f"\n... {more} more" if more > 0 else "")


def _file(path: str, real: Path, size: int, lines: tuple[int, int] | None) -> str:
    with real.open("rb") as file:
        data = file.read(_MOST_BYTES)
    if b"\0" in data[:8000]:
        return f"{visible(path)}: {counted(size, 'byte')}, no text"
    text = data.decode("utf-8", "replace")
    every = text.splitlines()
    count = ("" if size <= _MOST_BYTES else "over ") + counted(len(every), "line")
    about = f"{visible(path)}: {count}, {counted(size, 'byte')}"
    if lines is None:
        return f"{about}, about {counted(estimate_text(text), 'token')}\n\n{visible(_head(text))}"
    first, last = lines
    if not 1 <= first <= last or first > len(every):
        return f"{about}; it has no {line_span(first, last)}"
    last = min(last, len(every))
    part = "\n".join(every[first - 1 : last])
    return (
        f"{about}; {line_span(first, last)}, about {counted(estimate_text(part), 'token')}"
        f"\n\n{visible(_head(part))}"
    )


def _signature(tool: Tool) -> str:
    function = tool.schema["function"]
    parameters = function["parameters"].get("properties", {})
    required = function["parameters"].get("required", ())
    names = (name if name in required else f"{name}?" for name in parameters)
    lines = [f"{tool.name}({', '.join(names)})", "", function["description"]]
    lines += [
        f"  {name}: {value.get('description') or json.dumps(value)}"
        for name, value in parameters.items()
    ]
    return visible("\n".join(lines))


def _head(text: str) -> str:
    """The first lines, with a word on those left out."""
    lines = text[:_SHOWN_CHARACTERS].splitlines()[:_SHOWN_LINES]
    shown = "\n".join(lines)
    return shown if len(shown) >= len(text.rstrip()) else f"{shown}\n..."


def _cut(text: str) -> str:
    """The text, within what a tooltip can hold."""
    return text[: 2 * _SHOWN_CHARACTERS]
