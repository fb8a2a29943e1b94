"""Reading and writing of `.ipynb` files of nbformat 4 without nbformat, with the same results.

Importing nbformat takes seconds where a grammar for IRIs is installed, as JupyterLab does, and a
command that prints one line would wait for it. Notebooks of other versions are left to nbformat.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from msgbook_format.errors import NotANotebookError
from msgbook_format.typed import has, has_attachments

_WITH_MIME_BUNDLE = {"execute_result", "display_data"}
_SPLIT_MIME_TYPES = {"application/javascript", "image/svg+xml"}
_JSON_MIME = re.compile(r"application/(.*\+)?json", re.DOTALL)
_MOST_LEVEL = 100
"""Level of a heading before nbformat 4, which becomes as many `#`."""
_TRANSIENT = ("orig_nbformat", "orig_nbformat_minor", "signature")


class BrokenNotebookError(ValueError):
    """JSON that is not a notebook, or one with parts that cannot be read."""


def reads_ipynb(text: str) -> dict[str, Any]:
    """Return the notebook that the text of an `.ipynb` file holds, as plain JSON of nbformat 4.

    Older notebooks are converted. Cells and outputs are checked no further than nbformat checks
    them when it reads.

    Raises:
        json.JSONDecodeError: The text is not JSON.
        BrokenNotebookError: The JSON is not a notebook.
        RecursionError: The JSON is nested too deep.
    """
    notebook = json.loads(text)
    if not isinstance(notebook, dict) or notebook.get("nbformat") != 4:
        return _convert(text)
    try:
        _join_lines(notebook)
        _strip_transient(notebook)
    except (AttributeError, LookupError, TypeError) as error:
        raise BrokenNotebookError("JSON of a broken notebook") from error
    return notebook


def parse_ipynb(data: bytes, path: Path | str) -> dict[str, Any]:
    """Return the notebook in the bytes of the file at `path`, as `reads_ipynb` does.

    Its cells and outputs are objects with the fields of their types, so it can be written again.
    Their other fields may hold anything.

    Raises:
        NotANotebookError: The bytes hold no notebook.
    """
    try:
        notebook = reads_ipynb(data.decode("utf-8"))
        _require_complete(notebook)
    except (ValueError, RecursionError) as error:
        raise NotANotebookError(path, _found(error)) from error
    return notebook


def writes_ipynb(notebook: dict[str, Any]) -> str:
    """Return the text of the `.ipynb` file of a notebook of nbformat 4, which is not modified.

    If it has lone surrogates, which UTF-8 cannot encode, all but ASCII is escaped.

    Raises:
        AttributeError, LookupError, TypeError: Parts of it do not belong in a notebook.
    """
    notebook = deepcopy(notebook)
    _split_lines(notebook)
    _strip_transient(notebook)
    text = _dump(notebook, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return _dump(notebook, ensure_ascii=True)
    return text


def _dump(notebook: dict[str, Any], *, ensure_ascii: bool) -> str:
    kwargs: dict[str, Any] = {"indent": 1, "sort_keys": True, "separators": (",", ": ")}
    return json.dumps(notebook, ensure_ascii=ensure_ascii, **kwargs) + "\n"


def _convert(text: str) -> dict[str, Any]:
    import nbformat
    from nbformat.reader import reads as read_any_version

    try:
        old = read_any_version(text)
        _require_levels(old)
        notebook: dict[str, Any] = nbformat.convert(old, 4)
    except Exception as error:
        # nbformat uses parts of a notebook before it checks their types.
        raise BrokenNotebookError("JSON of no notebook, or of a broken one") from error
    return notebook


def _require_levels(old: dict[str, Any]) -> None:
    """Raise `ValueError` for a heading that would become an endless row of `#`."""
    for worksheet in old.get("worksheets", ()):
        for cell in worksheet.get("cells", ()):
            if cell.get("level", 1) > _MOST_LEVEL:
                raise ValueError("level")


def _join_lines(notebook: dict[str, Any]) -> None:
    _map_texts(notebook, _joined, lambda mime: not _JSON_MIME.fullmatch(mime), streams_only=False)


def _split_lines(notebook: dict[str, Any]) -> None:
    _map_texts(
        notebook,
        lambda value: value.splitlines(True) if isinstance(value, str) else value,
        lambda mime: mime.startswith("text/") or mime in _SPLIT_MIME_TYPES,
        streams_only=True,
    )


def _map_texts(
    notebook: dict[str, Any],
    change: Callable[[Any], Any],
    has_lines: Callable[[str], bool],
    *,
    streams_only: bool,
) -> None:
    """Change all values that a file holds as lists of lines, in place."""
    for cell in notebook["cells"]:
        if "source" in cell:
            cell["source"] = change(cell["source"])
        for bundle in _mime_bundles(cell):
            for mime in bundle:
                if has_lines(mime):
                    bundle[mime] = change(bundle[mime])
        for output in _outputs(cell):
            kind = output.get("output_type", "")
            has_text = "text" in output and kind and kind not in _WITH_MIME_BUNDLE
            if has_text and (kind == "stream" or not streams_only):
                output["text"] = change(output["text"])


def _mime_bundles(cell: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from cell.get("attachments", {}).values()
    for output in _outputs(cell):
        if output.get("output_type", "") in _WITH_MIME_BUNDLE:
            yield output.get("data", {})


def _outputs(cell: dict[str, Any]) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = cell.get("outputs", [])
    return outputs if cell.get("cell_type") == "code" else []


def _joined(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    try:
        return "".join(value)
    except TypeError:
        return value


def _strip_transient(notebook: dict[str, Any]) -> None:
    """Remove metadata that nbformat writes to no file, in place."""
    for key in _TRANSIENT:
        notebook["metadata"].pop(key, None)
    for cell in notebook["cells"]:
        cell["metadata"].pop("trusted", None)


def _require_complete(notebook: dict[str, Any]) -> None:
    if not isinstance(notebook["metadata"], dict) or not all(
        map(_is_complete_cell, notebook["cells"])
    ):
        raise BrokenNotebookError("cells that are not cells")


def _is_complete_cell(cell: Any) -> bool:
    return (
        has(cell, cell_type=str, source=str, metadata=dict)
        and has_attachments(cell)
        and (cell["cell_type"] != "code" or _are_complete_outputs(cell.get("outputs")))
    )


def _are_complete_outputs(outputs: Any) -> bool:
    return isinstance(outputs, list) and all(
        has(output, output_type=str)
        and isinstance(output.get("data", {}), dict)
        and ("text" in output or output["output_type"] != "stream")
        for output in outputs
    )


def _found(error: Exception) -> str:
    """Return a few words for what was found instead of a notebook."""
    match error:
        case json.JSONDecodeError():
            return f"an error in line {error.lineno}, column {error.colno}: {error.msg}"
        case UnicodeDecodeError():
            return "text that is not UTF-8"
        case RecursionError():
            return "JSON that is nested too deep"
        case BrokenNotebookError():
            return str(error)
        case _:
            return "a number with too many digits"
