"""A conversation as a notebook to pass on: what was chosen of it, and nothing that runs or loads.

`jupytext --to ipynb` converts a conversation without a loss. This is the export: the same switches
as in a page, and outputs that are safe in viewers that do not sanitise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters.notebook import NotebookExporter

from msgbook_format.exporters.conversation import MsgExporter
from msgbook_format.exporters.harmless_notebook import build_harmless_notebook, plain_word
from msgbook_format.exporters.harmless_outputs import ANSWER
from msgbook_format.exporters.untyped_values import RASTER, as_base64, as_text
from msgbook_format.metadata import as_dict, msgbook_metadata
from msgbook_format.syntax import KERNELSPEC, LANGUAGE_INFO, has_msgbook_kernel
from msgbook_format.turn import bundle, turn_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

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
        cells = list(map(_cell, notebook.cells, harmless.cells))
        built: NotebookNode = nbformat.from_dict({**harmless, "metadata": metadata, "cells": cells})
        return built


def _kernel(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata that say which kernel a notebook needs."""
    if has_msgbook_kernel(metadata):
        return {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO}
    words = {key: plain_word(value) for key, value in as_dict(metadata.get("kernelspec")).items()}
    name = words.get("name")
    spec = {"name": name, "display_name": name, "language": words.get("language") or name}
    return {"kernelspec": spec} if name else {}


def _cell(cell: NotebookNode, safe: NotebookNode) -> dict[str, Any]:
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
    built = {**safe, "source": as_text(cell.source), "metadata": metadata, "outputs": outputs}
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
