"""A conversation as Markdown to read, paste and publish, safe in any renderer, or as a notebook to pass on.

It is written without a template. Each part stands between blank lines and is safe there, whatever a
text holds (`msgbook_format.turn.markdown.safe`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters.exporter import Exporter
from nbconvert.exporters.notebook import NotebookExporter
from nbconvert.filters.ansi import strip_ansi
from traitlets import default

from msgbook_format.exporters.conversation import MsgExporter
from msgbook_format.exporters.harmless_notebook import (
    ANSWER,
    PROMPT,
    PROSE,
    RASTER,
    WHO,
    as_base64,
    build_harmless_notebook,
    contents_of,
    plain_word,
)
from msgbook_format.html_references import unescape
from msgbook_format.syntax import (
    CHAT_CELLS,
    CODE_FIRST_CELLS,
    CODE_FIRST_KERNEL,
    CODE_FIRST_KERNELSPEC,
    KERNELSPEC,
    LANGUAGE_INFO,
    rule_of,
)
from msgbook_format.turn import bundle, code_block, escape_line, turn_of
from msgbook_format.typed import as_dict, joined_text, msgbook_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbformat import NotebookNode


_TAG = re.compile(r"<[^<>]*+>")


class MsgMarkdownExporter(MsgExporter, Exporter):
    """Exporter of a conversation, `.msg.md` or `.ipynb`, to Markdown that is safe to pass on."""

    export_from_notebook = "Chat (Markdown)"
    output_mimetype = "text/markdown"

    @default("file_extension")
    def _default_file_extension(self) -> str:
        return ".md"

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert a notebook, which is not modified."""
        harmless, result = super().from_notebook_node(nb, resources, **kw)
        language = "python" if rule_of(nb.metadata) is CODE_FIRST_CELLS else ""
        parts = filter(None, _parts(harmless, result, language))
        return "\n\n".join(parts) + "\n", result


def _parts(harmless: NotebookNode, resources: dict[str, Any], language: str) -> Iterator[str]:
    """Yield the parts of the text.

    Args:
        language: Of the code, where its first line does not name it.
    """
    if title := resources.get("msgbook_title"):
        yield f"# {escape_line(title)}"
    yield resources.get("msgbook_days", "")
    yield "\n".join(
        f"{entry.number}. [{escape_line(entry.words)}](#message-{entry.number})"
        for entry in contents_of(harmless)
    )
    for cell in harmless.cells:
        yield from _cell(cell, language)
    notice = resources.get("msgbook_notice")
    yield f"*{escape_line(notice)}*" if notice else ""


def _cell(cell: NotebookNode, language: str) -> Iterator[str]:
    if cell.cell_type == "markdown":
        who = cell.metadata.get(WHO)
        yield f"**{escape_line(who)}**" if who else ""
        yield cell.source
        return
    if prompt := cell.metadata.get(PROMPT):
        number = prompt["number"]
        yield f'<a id="message-{number}"></a>\n\n## {number}. {escape_line(prompt["who"])}'
        yield prompt["markdown"]
    elif not cell.metadata.get("transient"):
        prose = cell.metadata.get(PROSE, {})
        yield prose.get("before", "")
        is_python = cell.source.startswith("%%python")
        yield code_block(cell.source, "python" if is_python else language)
        yield prose.get("after", "")
    for output in cell.outputs:
        yield from _output(output)


def _output(output: NotebookNode) -> Iterator[str]:
    match output.output_type:
        case "stream":
            yield code_block(strip_ansi(output.text))
        case "error":
            yield code_block(strip_ansi("\n".join(output.traceback)))
        case _:
            if answer := output.metadata.get(ANSWER):
                yield f"**{escape_line(answer)}**"
            yield _shown(output.data)


def _shown(data: dict[str, str]) -> str:
    """Return the first form of an output that Markdown can show in every renderer."""
    if "text/markdown" in data:
        return data["text/markdown"]
    if "text/plain" in data:
        return code_block(strip_ansi(data["text/plain"]))
    if "text/html" in data:
        return code_block(unescape(_TAG.sub(" ", data["text/html"])))
    return "(an SVG picture is not shown here)"


# A conversation as a notebook to pass on: what was chosen of it, and nothing that runs or loads.
#
# `jupytext --to ipynb` converts a conversation without a loss. This is the export: the same switches
# as in a page, and outputs that are safe in viewers that do not sanitise.


_MSGBOOK_KEYS = ("title", "history", "agent", "model", "role", "before", "after")
"""Metadata of cells that an exported notebook keeps."""


class MsgNotebookExporter(MsgExporter, NotebookExporter):
    """Exporter of a conversation, `.msg.md` or `.ipynb`, to a notebook that is safe to pass on."""

    export_from_notebook = "Chat (notebook)"
    keeps_controls = True

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert a notebook, which is not modified."""
        text, result = super().from_notebook_node(nb, resources, **kw)
        # The name says already that it is another file: `named_resources`.
        result["output_suffix"] = ""
        return text, result

    def _make_harmless(self, notebook: NotebookNode) -> NotebookNode:
        harmless = build_harmless_notebook(notebook)
        metadata = {**harmless.metadata, **_kernel(notebook.metadata)}
        cells = list(map(_notebook_cell, notebook.cells, harmless.cells))
        built: NotebookNode = nbformat.from_dict({**harmless, "metadata": metadata, "cells": cells})
        return built


def _kernel(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata that say which kernel a notebook needs."""
    if rule_of(metadata) is CHAT_CELLS:
        return {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO}
    if rule_of(metadata) is CODE_FIRST_CELLS:
        name = metadata["kernelspec"]["name"]
        return {
            "kernelspec": {**CODE_FIRST_KERNELSPEC, "name": plain_word(name) or CODE_FIRST_KERNEL}
        }
    words = {key: plain_word(value) for key, value in as_dict(metadata.get("kernelspec")).items()}
    name = words.get("name")
    spec = {"name": name, "display_name": name, "language": words.get("language") or name}
    return {"kernelspec": spec} if name else {}


def _notebook_cell(cell: NotebookNode, safe: NotebookNode) -> dict[str, Any]:
    """Return a cell with its own source, which a viewer shows as text, and harmless outputs."""
    ours = msgbook_metadata(cell)
    kept = {key: ours[key] for key in _MSGBOOK_KEYS if isinstance(ours.get(key), str)}
    metadata = {"msgbook": kept} if kept else {}
    if safe.cell_type == "markdown":
        return {**safe, "metadata": metadata}
    turns = [turn for output in cell.outputs if (turn := turn_of(output)) is not None]
    outputs = [
        {**output, "data": bundle(turns.pop(0)), "metadata": {}}
        if ANSWER in output.get("metadata", {})
        else output
        for output in safe.outputs
    ]
    built = {**safe, "source": joined_text(cell.source), "metadata": metadata, "outputs": outputs}
    pictures = _pictures(cell.get("attachments"))
    return {**built, "attachments": pictures} if pictures else built


def _pictures(attachments: Any) -> dict[str, dict[str, str]]:
    """Return the pictures that are attached to a cell."""
    found = {
        name: {
            mime: data
            for mime, value in as_dict(forms).items()
            if mime in RASTER and (data := as_base64(value))
        }
        for name, forms in as_dict(attachments).items()
    }
    return {name: forms for name, forms in found.items() if forms}
