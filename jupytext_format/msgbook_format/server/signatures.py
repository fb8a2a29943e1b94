"""Trust in the outputs of message files, which Jupytext leaves out."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from nbformat import NotebookNode

from msgbook_format.server.received_notebook import has_known_outputs, signable


def build_members(base: Any) -> dict[str, Any]:
    """Methods of a contents manager over `base` that sign message files, too."""

    def mark_trusted_cells(self: Any, nb: NotebookNode, path: str = "") -> None:
        if path.endswith(".md"):
            self.notary.mark_cells(nb, self.notary.check_signature(signable(nb)))
        else:
            base.mark_trusted_cells(self, nb, path)

    def check_and_sign(self: Any, nb: NotebookNode, path: str = "", **options: Any) -> None:
        if not path.endswith(".md"):
            base.check_and_sign(self, nb, path, **options)
        elif has_known_outputs(nb) and self.notary.check_cells(deepcopy(nb)):
            self.notary.sign(signable(nb))
        else:
            self.log.warning("Notebook %s is not trusted", path)

    return {"mark_trusted_cells": mark_trusted_cells, "check_and_sign": check_and_sign}


def mark_pair(manager: Any, nb: NotebookNode) -> None:
    """Trust the notebook of a pair that was opened by its `.ipynb`, if its text is signed.

    Nothing of a text is trusted by then, and what came from the `.ipynb` has been looked at.
    """
    if has_known_outputs(nb) and manager.notary.check_signature(signable(nb)):
        manager.notary.mark_cells(nb, True)
