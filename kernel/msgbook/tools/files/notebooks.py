"""Notebooks as text: the cells with the text of their outputs. Pure; accepts malformed cells.

Lines are counted in this text, for references, `read` and `grep` alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.messages import content_parts
from msgbook.notebook import has_run, outputs_of, outputs_text, parse_prompt, source_of
from msgbook.text import counted, repair_surrogates, sized, without_data
from msgbook_format.garbage import paused
from msgbook_format.syntax import Dialect, write_fence
from msgbook_format.turn import (
    ERRORS,
    TEXTS,
    TOOL_CALLS,
    TOOL_RESULTS,
    Kind,
    Turn,
    kind_of,
    turn_of,
)
from msgbook_format.typed import as_dict, as_dicts

_CELLS_LIMIT = 50_000_000
"""Bytes of a notebook without its pictures: as values they take ten times as much memory."""

# Pictures are most of a large notebook. They are cut out before the JSON is read.
_DATA = re.compile(rb'"([A-Za-z0-9+/=\\]{2000,}+)(?<!\\)"')  # a line end in it is `\n`
_LANGUAGE = re.compile(r"[\w.+#-]{0,40}")
_LINE_END = re.compile(r"\r\n?")
_MARK = "\x01data "
_MARKED = re.compile(_MARK + r"(\d+)")


class NotANotebookError(MsgbookError):
    """A file that is not a notebook, or none that can be read; the message says why."""


def notebook_text(data: bytes, cell: str = "", name: str = "", *, is_source: bool = False) -> str:
    """Return a notebook as text, or one of its cells.

    Args:
        cell: As for `read_notebook`.
        name: Of the file, for an error.
        is_source: As for `read_notebook`.

    Raises:
        NotANotebookError: It is not valid, is of an older format, or is too large.
        ToolError: It has no such cell.
    """
    with paused():
        notebook = _loaded(data)
        dialect = Dialect.from_metadata(as_dict(notebook.get("metadata")), None)
        if cell:
            shown = _one_cell(notebook, cell, name, dialect, is_source=is_source)
        else:
            texts = "\n\n".join(_cell_texts(notebook, dialect))
            shown = texts or "[a notebook without a cell that says anything]"
        return repair_surrogates(_without_data(shown)) + "\n"


def notebook_cells(data: bytes) -> list[dict[str, Any]]:
    """Return the cells of a notebook, an empty one for each that is no object.

    Raises:
        NotANotebookError: As for `notebook_text`.
    """
    with paused():
        return [as_dict(cell) for cell in _loaded(data)["cells"]]


def _cell_texts(notebook: Mapping[str, Any], dialect: Dialect) -> Iterator[str]:
    for number, cell in enumerate(notebook["cells"], 1):
        if isinstance(cell, dict) and (text := _cell_text(f"cell {number}", cell, dialect)):
            yield text
    if unread := sum(not _is_readable(cell) for cell in notebook["cells"]):
        yield f"[not shown, since they are malformed: {counted(unread, 'cell')}]"


def _one_cell(
    notebook: Mapping[str, Any], wanted: str, name: str, dialect: Dialect, *, is_source: bool
) -> str:
    # Imported here: a whole notebook needs none of it.
    from msgbook.tools.files.cells import NotebookCells

    cells = [as_dict(cell) for cell in notebook["cells"]]
    position = NotebookCells(cells, dialect.rule, name).find(wanted)
    if is_source:
        return _LINE_END.sub("\n", source_of(cells[position])).removesuffix("\n")
    # Without its number: what is sent stays the same when a cell above it is added.
    return _cell_text("cell", cells[position], dialect) or "[cell: empty]"


def _is_readable(cell: Any) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("source"), str | list | None)


def _loaded(data: bytes) -> dict[str, Any]:
    cells = _DATA.sub(lambda found: b'"\\u0001data %d"' % len(found[1]), data)
    if len(cells) > _CELLS_LIMIT:
        raise NotANotebookError(
            f"it has {len(cells):,} bytes without its pictures; notebooks of at most {_CELLS_LIMIT:,} "
            "such bytes are read by cells"
        )
    try:
        notebook: Any = json.loads(cells)
    except (ValueError, RecursionError):
        raise NotANotebookError("it is not valid JSON") from None
    version = as_dict(notebook).get("nbformat")
    if type(version) is not int:
        raise NotANotebookError("it is JSON, but not a notebook")
    if version not in (3, 4):
        raise NotANotebookError(f"it is a notebook of format {version}; formats 3 and 4 are read")
    found: dict[str, Any] = as_format_4(notebook) if version == 3 else notebook
    if not isinstance(found.get("cells"), list):
        raise NotANotebookError("it is a notebook without a list of cells")
    return found


def _cell_text(name: str, cell: Mapping[str, Any], dialect: Dialect) -> str:
    """Return a cell with its outputs under a name; empty for a cell that shows nothing."""
    source, outputs = source_of(cell), outputs_of(cell)
    if not source.strip() and not outputs:
        return ""
    if cell.get("cell_type") != "code":
        kind = "raw" if cell.get("cell_type") == "raw" else "markdown"
        return f"[{name}: {kind}]\n{source}"
    if dialect.rule.is_message(source):
        parts = [f"[{name}: message]\n{parse_prompt(source).text}"]
    else:
        magic, _, body = source.lstrip().partition("\n")
        is_python = dialect.is_chat and magic.strip() == "%%python"
        language = "python" if is_python else "ipython" if dialect.is_chat else dialect.language
        run = "" if has_run(cell) else ", not run"
        parts = [f"[{name}: code{run}]\n{_fenced(body if is_python else source, language)}"]
    with_turns = [(output, turn_of(output)) for output in outputs]
    turns = [turn for _, turn in with_turns if turn is not None]
    parts += [f"[answer]\n{turn_text(turn)}" for turn in turns]
    others = [o for o, turn in with_turns if turn is None and not (turns and _is_error(o))]
    shown = outputs_text(others, _size) if others else ""
    if shown.strip():
        parts.append(f"Output:\n{_fenced(shown, '')}")
    return "\n".join(part.rstrip("\n") for part in parts)


def _is_error(output: Mapping[str, Any]) -> bool:
    # An error below a turn repeats what the turn says.
    return output.get("output_type") == "error"


def turn_text(turn: Turn) -> str:
    """Return what a turn says and does, once: its other outputs are made of it."""
    return "\n\n".join(_block_texts(turn["blocks"]))


def _block_texts(blocks: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for block in blocks:
        write = _TEXTS.get(kind_of(block))
        if write is not None:
            yield write(block)


_TEXTS: dict[Kind, Callable[[Mapping[str, Any]], str]] = {
    TEXTS: lambda block: str(block.get("text", "")),
    TOOL_CALLS: lambda call: f"(calls {call.get('name')} with {call.get('arguments')})",
    TOOL_RESULTS: lambda result: f"(result: {_content(result.get('content'))})",
    ERRORS: lambda error: f"{error.get('name')}: {error.get('message')}",
}
"""What a model that reads a notebook gets of the blocks of each kind; nothing of others."""


def _content(content: Any) -> str:
    parts = as_dicts(content_parts(content))
    return "\n".join(str(part["text"]) if "text" in part else "[image]" for part in parts)


def _fenced(text: str, language: str) -> str:
    language = language if _LANGUAGE.fullmatch(language) else ""
    return write_fence(text.rstrip("\n") + "\n", language)


def _size(data: Any) -> int:
    """Return the bytes of an output's data."""
    text = data if isinstance(data, str) else source_of({"source": data}) or json.dumps(data)
    marked = _MARKED.fullmatch(text)
    count = int(marked[1]) if marked else len(text.rstrip("=\n"))
    is_base64 = marked or re.fullmatch(r"[A-Za-z0-9+/=\s]+", text)
    return count * 3 // 4 if is_base64 else count


def _without_data(text: str) -> str:
    """Return the text with sizes in place of data in it."""
    marked = _MARKED.sub(lambda found: f"[data, {sized(int(found[1]) * 3 // 4)}]", text)
    return without_data(marked)


# Notebooks of format 3, as IPython wrote them until 2015, in the form of format 4. Pure; accepts malformed cells.


_TYPES = {
    "text": "text/plain",
    "html": "text/html",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "latex": "text/latex",
    "json": "application/json",
    "javascript": "application/javascript",
}
"""MIME types by the keys of an output."""
_OUTPUTS = {"pyout": "execute_result", "pyerr": "error"}


def as_format_4(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return what is shown of a notebook; one without worksheets has no list of cells."""
    sheets = notebook.get("worksheets")
    if not isinstance(sheets, list):
        return notebook
    return {**notebook, "nbformat": 4, "cells": [*map(_cell, _cells(sheets))]}


def _cells(sheets: list[Any]) -> Iterator[dict[str, Any]]:
    for sheet in sheets:
        yield from as_dicts(as_dict(sheet).get("cells"))


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    source = cell.get("input", cell.get("source"))
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        marks = "#" * (level if type(level) is int and 0 < level < 7 else 1)
        text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
        return {"cell_type": "markdown", "source": f"{marks} {text}"}
    changed = {
        "source": source,
        "outputs": [*map(_output, as_dicts(cell.get("outputs")))],
        "execution_count": cell.get("prompt_number"),
    }
    return {**cell, **changed}


def _output(output: dict[str, Any]) -> dict[str, Any]:
    kind = output.get("output_type")
    if kind == "stream":
        return {**output, "name": output.get("stream", "stdout")}
    data = {mime: output[key] for key, mime in _TYPES.items() if key in output}
    kind = _OUTPUTS.get(kind, kind) if isinstance(kind, str) else kind
    return {**output, "output_type": kind, "data": data}
