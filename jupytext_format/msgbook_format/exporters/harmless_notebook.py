"""A notebook as a page may show it: nothing in it runs, loads or pretends.

The templates of nbconvert write much of a notebook into the page as it is: Markdown and HTML of
course, but also an image's size, the file name of a picture, the name of a language. So the
notebook is built anew from what is known to be harmless.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from nbformat import from_dict

from msgbook_format.cells import is_code
from msgbook_format.exporters.harmless_outputs import presentable_outputs
from msgbook_format.exporters.nbconvert_markdown import spelled_out
from msgbook_format.exporters.untyped_values import RASTER, base64_of, dict_of, text_of
from msgbook_format.syntax import Dialect
from msgbook_format.turn import code_block, safe_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nbformat import NotebookNode

Json = dict[str, Any]

PROMPT = "msgbook_prompt"
"""Cell metadata of a prompt: who speaks, and the message as safe Markdown."""

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORD = re.compile(r"[A-Za-z][\w+#.-]{0,30}", re.ASCII)
_ATTACHMENT = re.compile(r"\]\((?:<attachment:([^<>\n]+)>|attachment:([^()\s]+))")
_MAGIC_LINE = re.compile(r"\s*%%msg\b([^\n]*)(?:\n|\Z)")
_FORMULA = re.compile(r"\$[^$]+\$|\$\$|\\\\?[(\[]|\\begin\{")
_TYPESET = ("text/markdown", "text/latex", "text/html")


def convertible(cell: Mapping[str, Any]) -> Json:
    """A cell whose fields are what preprocessors take them for, whatever the notebook holds."""
    sound = {"metadata": dict_of(cell.get("metadata")), "source": text_of(cell.get("source"))}
    kind = cell.get("cell_type")
    fields = {**cell, **sound, "cell_type": kind if kind in ("code", "markdown") else "raw"}
    if not isinstance(cell.get("id"), str):
        fields.pop("id", None)
    if kind == "code":
        outputs = cell.get("outputs")
        outputs = outputs if isinstance(outputs, list) else []
        fields["outputs"] = [output for output in outputs if _is_output(output)]
        fields.setdefault("execution_count", None)
    return fields


def _is_output(output: Any) -> bool:
    return isinstance(output, dict) and isinstance(output.get("output_type"), str)


def presentable(notebook: NotebookNode) -> NotebookNode:
    """A new notebook with the texts, answers and outputs of `notebook`, all of them harmless."""
    dialect = Dialect.from_metadata(notebook.metadata, None)
    cells: list[Json] = []
    ids: set[str] = set()
    for index, cell in enumerate(notebook.cells):
        cell_id = cell.get("id")
        if not (isinstance(cell_id, str) and _CELL_ID.fullmatch(cell_id)) or cell_id in ids:
            cell_id = f"cell-{index}-of-{len(notebook.cells)}"
        ids.add(cell_id)
        cells.append(_cell(cell, cell_id, dialect))
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


def _cell(cell: Mapping[str, Any], cell_id: str, dialect: Dialect) -> Json:
    source = text_of(cell.get("source"))
    metadata = _harmless_metadata(cell.get("metadata"))
    built = {"cell_type": "markdown", "id": cell_id, "metadata": metadata}
    match cell.get("cell_type"):
        case "code":
            if not is_code(source, dialect):
                metadata[PROMPT] = _prompt(cell, source)
                metadata["transient"] = {"remove_source": True}
            outputs = list(presentable_outputs(cell.get("outputs")))
            code = {"cell_type": "code", "execution_count": None, "outputs": outputs}
            return {**built, **code, "source": source}
        case "markdown":
            text = _embed_attachments(spelled_out(source), cell.get("attachments"))
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
    ours = dict_of(dict_of(cell.get("metadata")).get("msgbook"))
    words = ["You", text_of(ours.get("title")), magic[1].strip() if magic else ""]
    text = _embed_attachments(spelled_out(text), cell.get("attachments"))
    return {"who": " · ".join(word for word in words if word), "markdown": safe_markdown(text)}


def _embed_attachments(source: str, attachments: Any) -> str:
    """Pictures attached to the cell as data URLs in their place."""

    def embedded(match: re.Match[str]) -> str:
        for mime, value in dict_of(dict_of(attachments).get(match[1] or match[2])).items():
            data = base64_of(value)
            if mime in RASTER and data:
                return f"](data:{mime};base64,{data}"
        return match[0]

    return _ATTACHMENT.sub(embedded, source)
