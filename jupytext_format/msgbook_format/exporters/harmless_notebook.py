"""A notebook that is safe in a page: nothing in it runs, loads or imitates the page.

The templates of nbconvert copy much of a notebook into the page unescaped: Markdown and HTML, but
also an image's size, the file name of a picture and the name of a language. So the notebook is
built from parts that are known to be harmless.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from nbformat import from_dict

from msgbook_format.cells import is_code
from msgbook_format.exporters.contents import PROMPT
from msgbook_format.exporters.harmless_outputs import Write, build_harmless_outputs
from msgbook_format.exporters.nbconvert_markdown import spell_for_nbconvert
from msgbook_format.exporters.untyped_values import RASTER, as_base64, as_text
from msgbook_format.metadata import as_dict, msgbook_metadata
from msgbook_format.syntax import MSG_MAGIC, Dialect, parse_msg_line
from msgbook_format.turn import code_block, replace_controls, safe_markdown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbformat import NotebookNode

Json = dict[str, Any]

WHO = "msgbook_who"
"""Key of a note's metadata: who speaks in it, if it is a system prompt."""

PROSE = "msgbook_prose"
"""Key of a code cell's metadata: the text `before` and `after` its code as safe Markdown."""

CONTINUE = "%continue"
"""A prompt that asks for the rest of the answer above."""

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORDS = 80
"""Greatest length of an entry of the table of contents."""

_WORD = re.compile(r"[A-Za-z][\w+#.-]{0,30}", re.ASCII)
_ATTACHMENT = re.compile(r"\]\((?:<attachment:([^<>\n]+)>|attachment:([^()\s]+))")


def normalize_cell(cell: Mapping[str, Any]) -> Json:
    """Return a cell whose fields have the types that preprocessors expect, from any cell."""
    typed = {"metadata": as_dict(cell.get("metadata")), "source": as_text(cell.get("source"))}
    kind = cell.get("cell_type")
    fields = {**cell, **typed, "cell_type": kind if kind in ("code", "markdown") else "raw"}
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


def build_harmless_notebook(notebook: NotebookNode, write: Write = safe_markdown) -> NotebookNode:
    """Return a new notebook with the texts, turns and outputs of `notebook`, made harmless.

    `write` returns what stands for a text of Markdown.
    """
    dialect = Dialect.from_metadata(notebook.metadata, None)
    cells: list[Json] = []
    ids: set[str] = set()
    prompts = 0
    for index, cell in enumerate(notebook.cells):
        cell_id = cell.get("id")
        if not (isinstance(cell_id, str) and _CELL_ID.fullmatch(cell_id)) or cell_id in ids:
            cell_id = f"cell-{index}-of-{len(notebook.cells)}"
        ids.add(cell_id)
        cells.append(_cell(cell, cell_id, dialect, write))
        if prompt := cells[-1]["metadata"].get(PROMPT):
            prompts += 1
            prompt["number"] = prompts
    title = notebook.metadata.get("title")
    metadata = {"title": title} if isinstance(title, str) and title else {}
    fields = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    built: NotebookNode = from_dict(fields)
    return built


def plain_word(value: Any) -> str | None:
    """Return the name of a language; None unless it is one plain word."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def _cell(cell: Mapping[str, Any], cell_id: str, dialect: Dialect, write: Write) -> Json:
    source = as_text(cell.get("source"))
    metadata = _harmless_metadata(cell.get("metadata"))
    built = {"cell_type": "markdown", "id": cell_id, "metadata": metadata}
    match cell.get("cell_type"):
        case "code":
            if not is_code(source, dialect):
                metadata["transient"] = {"remove_source": True}
                # Its answer goes on with the one above.
                if source.strip() != CONTINUE:
                    metadata[PROMPT] = _prompt(cell, source, write)
            elif prose := _prose(cell, write):
                metadata[PROSE] = prose
            outputs = list(build_harmless_outputs(cell.get("outputs"), write))
            code = {"cell_type": "code", "execution_count": None, "outputs": outputs}
            return {**built, **code, "source": source}
        case "markdown":
            text = _embed_attachments(spell_for_nbconvert(source), cell.get("attachments"))
            ours = msgbook_metadata(cell)
            if ours.get("role") == "system":
                metadata[WHO] = as_text(ours.get("title")) or "system prompt"
            return {**built, "source": write(text)}
        case _:
            return {**built, "source": code_block(source)}


def _harmless_metadata(metadata: Any) -> Json:
    """Return the metadata that preprocessors leave for the template."""
    if not isinstance(metadata, dict):
        return {}
    kept: Json = {}
    if language := plain_word(metadata.get("magics_language")):
        kept["magics_language"] = language
    transient = metadata.get("transient")
    if isinstance(transient, dict) and transient.get("remove_source") is True:
        kept["transient"] = {"remove_source": True}
    return kept


def _prompt(cell: Mapping[str, Any], source: str, write: Write) -> Json:
    msg = parse_msg_line(source)
    line = source[: msg.end].strip().removeprefix(MSG_MAGIC).strip() if msg else ""
    text = source[msg.end :] if msg else source.removeprefix("\\")
    title = as_text(msgbook_metadata(cell).get("title"))
    words = ["You", title, line]
    first = title or next(filter(None, map(_bare, text.splitlines())), "…")
    text = _embed_attachments(spell_for_nbconvert(text), cell.get("attachments"))
    who = " · ".join(word for word in words if word)
    return {"who": who, "words": _shortened(first), "markdown": write(text)}


def _bare(line: str) -> str:
    """Return a line of Markdown without the marks that a block begins with."""
    return line[:1_000].strip().lstrip("#>*+- `").strip()


def _shortened(words: str) -> str:
    words = " ".join(replace_controls(words).split())
    return words if len(words) <= _WORDS else words[: _WORDS - 1] + "…"


def _prose(cell: Mapping[str, Any], write: Write) -> dict[str, str]:
    """Return the text `before` and `after` the code, as far as there is any."""
    ours = msgbook_metadata(cell)
    texts = {place: as_text(ours.get(place)) for place in ("before", "after")}
    return {place: write(spell_for_nbconvert(text)) for place, text in texts.items() if text}


def _embed_attachments(source: str, attachments: Any) -> str:
    """Replace links to pictures attached to the cell by data URLs."""

    def embedded(match: re.Match[str]) -> str:
        for mime, value in as_dict(as_dict(attachments).get(match[1] or match[2])).items():
            data = as_base64(value)
            if mime in RASTER and data:
                return f"](data:{mime};base64,{data}"
        return match[0]

    return _ATTACHMENT.sub(embedded, source)
