"""Notebooks as a page sends them: problems, formats, what a signature covers, and the files behind them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from tornado.web import HTTPError

from msgbook_format import jsontext
from msgbook_format.files import AGENT_SUFFIXES, has_section, require_regular
from msgbook_format.jupytext_plugin import FORMAT_NAME
from msgbook_format.jupytext_plugin.message_format import is_message_path
from msgbook_format.jupytext_plugin.pairing import find_message_file, find_other_files
from msgbook_format.outputs import load_output_files, open_references
from msgbook_format.turn import without_derived
from msgbook_format.typed import as_dict, has, is_dicts, msgbook_metadata

_MAX_FORMATS_LENGTH = 1000
"""Characters of `formats`, which Jupytext splits and compares pair by pair."""
_OWN_FORMAT = ".msg.md:msg"
_OTHER_SPELLINGS = ("md", "md:msg", ".msg.md", ".msg.auto:msg", "auto:msg")


def find_problem(content: Any) -> str | None:
    """Return why a notebook cannot be saved, as `expected ..., found ...`; None if it can.

    Cells with unusual content can: they are kept unchanged.
    """
    problem = (
        _expect(content, dict, "`content`, a notebook")
        or _expect(content.get("nbformat"), int, "`nbformat`, the number 4")
        or _expect(content.get("nbformat_minor", 0), int, "`nbformat_minor`, a number")
        or _expect(content.get("metadata"), dict, "`metadata`, an object")
        or _expect(content.get("cells"), list, "`cells`, a list")
    )
    if problem is None and content["nbformat"] != 4:
        return f"expected a notebook of nbformat 4, found nbformat {content['nbformat']}"
    return problem or _find_in_metadata(content["metadata"]) or _find_in_cells(content["cells"])


def is_untitled(content: Any) -> bool:
    """Return whether this is the notebook that Jupytext makes for a new file."""
    if not isinstance(content, dict) or content.get("cells") != []:
        return False
    metadata = content.get("metadata")
    return isinstance(metadata, dict) and metadata.keys() == {"jupytext"}


def find_formats(content: Any) -> Any:
    """Return a notebook's `metadata.jupytext.formats`; None without it."""
    node = content
    for key in ("metadata", "jupytext"):
        node = as_dict(node).get(key)
    return as_dict(node).get("formats")


def spell_own_format(content: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook of a `.msg.md` file with `.msg.md:msg` in its formats; not in place.

    Jupytext's menu looks at the extension alone. It writes `md`, which would be another file.
    """
    jupytext = dict(content["metadata"].get("jupytext", {}))
    formats = jupytext.pop("formats", None)
    if formats:
        names = [name.strip() for name in formats.split(",")]
        names = [_OWN_FORMAT if name in _OTHER_SPELLINGS else name for name in names]
        jupytext["formats"] = ",".join(dict.fromkeys(names))
    return {**content, "metadata": {**content["metadata"], "jupytext": jupytext}}


def with_representation(content: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook of a text with a name of its format for Jupytext; not in place."""
    metadata = dict(content["metadata"])
    jupytext = dict(metadata.get("jupytext", {}))
    jupytext["text_representation"] = {"extension": ".md", "format_name": FORMAT_NAME}
    return {**content, "metadata": {**metadata, "jupytext": jupytext}}


def find_formats_problem(content: Any) -> str | None:
    """Return why the formats of any notebook cannot be saved, likewise; None if they can."""
    formats = find_formats(content)
    what = "`metadata.jupytext.formats`, a text"
    problem = _expect("" if formats is None else formats, str, what)
    if problem is None and formats and len(formats) > _MAX_FORMATS_LENGTH:
        return f"expected {what} of at most {_MAX_FORMATS_LENGTH} characters, found {len(formats)}"
    return problem


def _find_in_metadata(metadata: dict[str, Any]) -> str | None:
    return (
        _expect(metadata.get("msgbook", {}), dict, "`metadata.msgbook`, an object")
        or _expect(metadata.get("jupytext", {}), dict, "`metadata.jupytext`, an object")
        or find_formats_problem({"metadata": metadata})
    )


def _find_in_cells(cells: list[Any]) -> str | None:
    for index, cell in enumerate(cells):
        name = f"cells[{index}]"
        problem = (
            _expect(cell, dict, f"`{name}`, an object")
            or _expect(cell.get("cell_type"), str, f"`{name}.cell_type`, a text")
            or _expect(cell.get("metadata"), dict, f"`{name}.metadata`, an object")
            or _expect(
                cell["metadata"].get("msgbook", {}), dict, f"`{name}.metadata.msgbook`, an object"
            )
        )
        if problem:
            return problem
    return None


def _expect(value: Any, kind: type, what: str) -> str | None:
    if isinstance(value, kind):
        return None
    return f"expected {what}, found {'nothing' if value is None else type(value).__name__}"


def has_known_outputs(nb: dict[str, Any]) -> bool:
    """Return whether all outputs have a type, so that trust in them can be checked."""
    return all(
        is_dicts(outputs := cell.get("outputs")) and all("output_type" in out for out in outputs)
        for cell in nb["cells"]
        if cell["cell_type"] == "code"
    )


def extract_signed_content(nb: dict[str, Any]) -> NotebookNode:
    """Return the notebook that a signature covers: the cells as any text of them is read again.

    It lacks what a text does not hold, and `metadata.msgbook`, on which no output depends.
    """
    cells = [_signed_cell(cell) for cell in nb["cells"]]
    if cells and not cells[-1].get("source") and not cells[-1].get("outputs"):
        del cells[-1]
    signed: NotebookNode = nbformat.from_dict(
        {"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {}}
    )
    # As one text: the notary cannot hash a lone surrogate.
    signed.metadata["cells"] = jsontext.dumps(cells)
    return signed


def _signed_cell(cell: dict[str, Any]) -> dict[str, Any]:
    hidden = ("trusted", "msgbook")
    metadata = {key: value for key, value in cell["metadata"].items() if key not in hidden}
    signed = {**cell, "metadata": metadata}
    if has(cell, outputs=list):
        signed["outputs"] = without_derived(cell["outputs"])
    return signed


# Signatures of message files and agents' files, which make their outputs trusted; Jupytext signs no texts.


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


# Tests whether a notebook of a contents manager belongs to a message file; others are left alone.


def can_touch_message_file(manager: Any, content: Any, path: str) -> bool:
    """Return whether saving a notebook can change a message file."""
    if is_message_path(path) or is_paired(manager, path) or _name_our_format(find_formats(content)):
        return True
    if not path.endswith(".md") or not isinstance(content, dict):
        return False
    return is_message_notebook(content, path) or has_message_section(content)


def is_paired(manager: Any, path: str) -> bool:
    """Return whether a file was opened or saved as half of a pair with a message file."""
    return _name_our_format(manager.paired_notebooks.get(path, ("", ""))[1])


def _name_our_format(formats: Any) -> bool:
    # Jupytext's formats may have any type.
    return re.search(rf"\b{FORMAT_NAME}\b", str(formats)) is not None


def is_message_notebook(content: Any, path: str) -> bool:
    """Return whether a notebook at `path` is saved in our format."""
    if is_message_path(path):
        return True
    node = content
    for key in ("metadata", "jupytext", "text_representation"):
        node = node.get(key)
        if not isinstance(node, dict):
            return False
    return bool(node.get("format_name") == FORMAT_NAME)


def has_message_section(content: Any) -> bool:
    """Return whether a notebook was read from a message section.

    The notebook of a pair does not name its format.
    """
    user = msgbook_metadata(content).get("frontmatter")
    return isinstance(user, str) and has_section(f"---\n{user}---\n")


def require_pair_inside(manager: Any, content: Any, path: str) -> None:
    """Raise 400 if another file of the notebook's pair is a link that leads outside.

    Nobody has opened that file, and a pair that came with a folder would write into it or show it.
    Outside means neither below the server's folder nor below that of the file at `path`.
    """
    opened, root = find_os_path(manager, path), find_os_path(manager, "")
    if opened is None or root is None:
        return
    folders = [os.path.realpath(root), os.path.realpath(opened.parent)]
    formats = find_formats(content) or manager.paired_notebooks.get(path, ("", ""))[1]
    for other in find_other_files(path, formats):
        found = find_os_path(manager, other)
        real = Path(os.path.realpath(found)) if found is not None else None
        if real is not None and not any(real.is_relative_to(folder) for folder in folders):
            message = (
                f"{path}: expected its pair {other} in the server's folder, found a link that leads "
                f"out of it. Replace the link with the file, or delete it."
            )
            raise HTTPError(400, message, reason="pair elsewhere")


def find_pair(manager: Any, content: Any, path: str) -> str | None:
    """Return the message file that is paired with the notebook `content` at `path`, if any."""
    return find_message_file(
        path, find_formats(content) or manager.paired_notebooks.get(path, ("", ""))[1]
    )


# The files behind message files, on a contents manager over folders of files.


def find_os_path(manager: Any, path: str) -> Path | None:
    """Return the path on disk of the file at `path`; None if the manager has no files on disk."""
    find = getattr(manager, "_get_os_path", None)
    return None if find is None else Path(find(path))


def require_regular_file(manager: Any, path: str) -> None:
    """Raise 400 for a pipe or a device at `path`, which the server would read forever."""
    found = find_os_path(manager, path)
    if found is None or not found.exists() or found.is_dir():
        return
    try:
        require_regular(found)
    except OSError as error:
        raise HTTPError(400, f"{path}: {error.strerror}", reason="no regular file") from error


def load_files(manager: Any, content: Any, path: str) -> bool:
    """Load the data of output files into a notebook whose text is at `path`, in place.

    Returns whether any output refers to a file.
    """
    if next(open_references(content), None) is None:
        return False
    found = find_os_path(manager, path)
    for problem in load_output_files(content, found) if found is not None else ():
        manager.log.warning("%s: %s", path, problem)
    return True
