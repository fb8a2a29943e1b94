"""Signatures of message files and agents' files, which make their outputs trusted; Jupytext signs no texts."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode

from msgbook_format.files import AGENT_SUFFIXES
from msgbook_format.server.received_notebook import extract_signed_content, has_known_outputs

_OUR_SUFFIXES = (".md", *AGENT_SUFFIXES)


def build_members(base: Any) -> dict[str, Any]:
    """Return methods that make a contents manager over `base` sign message files, too."""

    def mark_trusted_cells(self: Any, nb: NotebookNode, path: str = "") -> None:
        if path.endswith(_OUR_SUFFIXES):
            self.notary.mark_cells(nb, self.notary.check_signature(extract_signed_content(nb)))
        else:
            base.mark_trusted_cells(self, nb, path)

    def check_and_sign(self: Any, nb: NotebookNode, path: str = "", **options: Any) -> None:
        if not path.endswith(_OUR_SUFFIXES):
            base.check_and_sign(self, nb, path, **options)
        elif has_known_outputs(nb) and self.notary.check_cells(_with_own_metadata(nb)):
            self.notary.sign(extract_signed_content(nb))
        else:
            self.log.warning("Notebook %s is not trusted", path)

    return {"mark_trusted_cells": mark_trusted_cells, "check_and_sign": check_and_sign}


def _with_own_metadata(nb: dict[str, Any]) -> NotebookNode:
    """Return a notebook for the notary, which takes `trusted` out of the metadata of code cells."""
    cells = [
        {**cell, "metadata": {**cell["metadata"]}} if cell["cell_type"] == "code" else cell
        for cell in nb["cells"]
    ]
    return NotebookNode({**nb, "cells": cells})


def mark_trusted_pair(manager: Any, nb: NotebookNode) -> None:
    """Trust the notebook of a pair that was opened by its `.ipynb`, if its text is signed.

    By then nothing from the text is trusted, and what came from the `.ipynb` has been checked.
    """
    if has_known_outputs(nb) and manager.notary.check_signature(extract_signed_content(nb)):
        manager.notary.mark_cells(nb, True)
