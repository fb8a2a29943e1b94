"""A notebook as a page may show it: nothing in it runs, loads or pretends.

The templates of nbconvert write much of a notebook into the page as it is: Markdown and HTML of
course, but also an image's size, the file name of a picture, the name of a language. So the
notebook is built anew from what is known to be harmless.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from nbformat import from_dict

from msgbook_format.code import is_code
from msgbook_format.context import Context
from msgbook_format.exporters.sanitize import sanitize_html
from msgbook_format.turn import safe_markdown, to_markdown, turn_of
from msgbook_format.turn.escape import code_block
from msgbook_format.turn.links import safe_image

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nbformat import NotebookNode

    from msgbook_format.turn import Turn

Json = dict[str, Any]

PROMPT = "msgbook_prompt"
"""Cell metadata of a prompt: who speaks, and the message as safe Markdown."""
ANSWER = "msgbook_answer"
"""Output metadata of a turn: who answered, with what and how long."""

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORD = re.compile(r"[A-Za-z][\w+#.-]{0,30}", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_ATTACHMENT = re.compile(r"\]\(attachment:([^()\s]+)")
_MAGIC_LINE = re.compile(r"\s*%%msg\b([^\n]*)(?:\n|\Z)")
_FORMULA = re.compile(r"\$[^$]+\$|\$\$|\\\\?[(\[]|\\begin\{")
_TYPESET = ("text/markdown", "text/latex", "text/html")
_RASTER = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEMPLATE_SHOWS = ("image/svg+xml", "text/latex", "text/plain")


def presentable(notebook: NotebookNode) -> NotebookNode:
    """A new notebook with the texts, answers and outputs of `notebook`, all of them harmless."""
    context = Context.of(notebook.metadata, None)
    cells: list[Json] = []
    ids: set[str] = set()
    for index, cell in enumerate(notebook.cells):
        cell_id = cell.get("id")
        if not (isinstance(cell_id, str) and _CELL_ID.fullmatch(cell_id)) or cell_id in ids:
            cell_id = f"cell-{index}-of-{len(notebook.cells)}"
        ids.add(cell_id)
        cells.append(_cell(cell, cell_id, context))
    title = notebook.metadata.get("title")
    metadata = {"title": title} if isinstance(title, str) and title else {}
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    built: NotebookNode = from_dict(whole)
    return built


def has_formulas(presented: NotebookNode) -> bool:
    """Whether the page of a presentable notebook may hold a formula."""
    return any(_FORMULA.search(text) for cell in presented.cells for text in _rendered(cell))


def _rendered(cell: NotebookNode) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
    elif PROMPT in cell.metadata:
        yield cell.metadata[PROMPT]["markdown"]
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        yield from (data[mime] for mime in _TYPESET if mime in data)


def plain_word(value: Any) -> str | None:
    """The name of a language as it may stand in a page; None when it is no plain word."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def _cell(cell: Mapping[str, Any], cell_id: str, context: Context) -> Json:
    source = _string(cell.get("source"))
    metadata = _harmless_metadata(cell.get("metadata"))
    built = {"cell_type": "markdown", "id": cell_id, "metadata": metadata}
    match cell.get("cell_type"):
        case "code":
            if not is_code(source, context):
                metadata[PROMPT] = _prompt(cell, source)
                metadata["transient"] = {"remove_source": True}
            outputs = list(_outputs(cell.get("outputs")))
            code = {"cell_type": "code", "execution_count": None, "outputs": outputs}
            return {**built, **code, "source": source}
        case "markdown":
            text = _embed_attachments(source, cell.get("attachments"))
            return {**built, "source": safe_markdown(text)}
        case _:
            return {**built, "source": code_block(source)}


def _harmless_metadata(metadata: Any) -> Json:
    """What preprocessors have left for the template."""
    if not isinstance(metadata, dict):
        return {}
    kept: Json = {}
    if language := plain_word(metadata.get("magics_language")):
        kept["magics_language"] = language
    transient = metadata.get("transient")
    if isinstance(transient, dict) and transient.get("remove_source") is True:
        kept["transient"] = {"remove_source": True}
    return kept


def _prompt(cell: Mapping[str, Any], source: str) -> dict[str, str]:
    magic = _MAGIC_LINE.match(source)
    text = source[magic.end() :] if magic else source.removeprefix("\\")
    ours = _dict(_dict(cell.get("metadata")).get("msgbook"))
    words = ["You", _string(ours.get("title")), magic[1].strip() if magic else ""]
    text = _embed_attachments(text, cell.get("attachments"))
    return {"who": " · ".join(word for word in words if word), "markdown": safe_markdown(text)}


def _embed_attachments(source: str, attachments: Any) -> str:
    """Pictures attached to the cell as data URLs in their place."""

    def embedded(match: re.Match[str]) -> str:
        for mime, value in _dict(_dict(attachments).get(match[1])).items():
            data = _compact(value)
            if mime in _RASTER and data:
                return f"](data:{mime};base64,{data}"
        return match[0]

    return _ATTACHMENT.sub(embedded, source)


def _outputs(outputs: Any) -> Iterator[Json]:
    told: Turn | None = None
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        turn = turn_of(output)
        kind = output.get("output_type")
        if turn is not None:
            told = turn
            yield _turn(turn)
        elif kind == "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            yield {"output_type": "stream", "name": name, "text": _string(output.get("text"))}
        elif kind == "error":
            if not (told and _is_told(told, output)):
                yield _error(output)
        else:
            yield _display(output)


def _turn(turn: Turn) -> Json:
    # A saved `running` means that the kernel died while it answered.
    settled: Turn = {**turn, "status": "interrupted"} if turn["status"] == "running" else turn
    words = [_string(turn.get("agent")), _string(turn.get("model"))]
    duration = turn.get("duration")
    if isinstance(duration, int | float):
        words.append(f"{duration:.1f} s")
    answer = " · ".join(word for word in words if word)[:200]
    return _display_data({"text/markdown": to_markdown(settled)}, {ANSWER: answer})


def _is_told(turn: Turn, error: Mapping[str, Any]) -> bool:
    """Whether the turn says already what an error output beside it says."""
    name, message = error.get("ename"), error.get("evalue")
    if name == "KeyboardInterrupt":
        return turn["status"] == "interrupted"
    return any(
        block["type"] == "error" and (block.get("name"), block.get("message")) == (name, message)
        for block in turn["blocks"]
    )


def _error(output: Mapping[str, Any]) -> Json:
    name, message = _string(output.get("ename")), _string(output.get("evalue"))
    traceback = output.get("traceback")
    lines = [_string(line) for line in traceback] if isinstance(traceback, list) else []
    shown = {"ename": name, "evalue": message, "traceback": lines or [f"{name}: {message}"]}
    return {"output_type": "error", **shown}


def _display(output: Mapping[str, Any]) -> Json:
    found = _dict(output.get("data"))
    data: dict[str, str] = {}
    for mime, value in found.items():
        if mime == "text/html" and (html := sanitize_html(_string(value))):
            data[mime] = html
        elif mime == "text/markdown":
            data[mime] = safe_markdown(_string(value))
        elif mime in _RASTER and (picture := _compact(value)):
            data["text/markdown"] = safe_image("output", f"data:{mime};base64,{picture}")
        elif mime in _TEMPLATE_SHOWS:
            data[mime] = _string(value)
    if not data:
        kinds = ", ".join(sorted(map(str, found))) or "no type"
        data["text/plain"] = f"(an output of {kinds} is not shown here)"
    return _display_data(data, {})


def _display_data(data: Json, metadata: Json) -> Json:
    return {"output_type": "display_data", "data": data, "metadata": metadata}


def _compact(value: Any) -> str | None:
    """Base64 without white space; None when it is none."""
    data = "".join(_string(value).split())
    return data if _BASE64.fullmatch(data) else None


def _string(value: Any) -> str:
    if isinstance(value, list):
        return "".join(map(_string, value))
    return value if isinstance(value, str) else ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
