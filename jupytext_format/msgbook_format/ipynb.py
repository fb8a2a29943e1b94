"""`.ipynb` of nbformat 4 <-> notebook, as nbformat reads and writes it, without importing nbformat.

That import takes seconds where a grammar for IRIs is installed beside it, as JupyterLab does, and
a command that prints one line would wait for it. Notebooks of other versions are nbformat's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

_WITH_MIME_BUNDLE = {"execute_result", "display_data"}
_SPLIT_MIME_TYPES = {"application/javascript", "image/svg+xml"}
_JSON_MIME = re.compile(r"application/(.*\+)?json", re.DOTALL)
_TRANSIENT = ("orig_nbformat", "orig_nbformat_minor", "signature")


class BrokenNotebookError(ValueError):
    """JSON that is no notebook, or one with parts that cannot be read."""


def reads(text: str) -> dict[str, Any]:
    """Return the notebook that the text of an `.ipynb` file holds, as plain JSON of nbformat 4.

    Older notebooks are converted. Whether cells and outputs are valid is not looked at further
    than nbformat does when it reads them.

    Raises:
        json.JSONDecodeError: The text is no JSON.
        BrokenNotebookError: It is no notebook.
        RecursionError: It is nested too deep.
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


def writes(notebook: dict[str, Any]) -> str:
    """Return the text of the `.ipynb` file of a notebook of nbformat 4, which is not modified.

    Lone surrogates, which have no bytes in UTF-8, are escaped, and with them all but ASCII.

    Raises:
        AttributeError, LookupError, TypeError: Parts of it are none of a notebook.
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
        notebook: dict[str, Any] = nbformat.convert(read_any_version(text), 4)
    except (
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        nbformat.ValidationError,
    ) as error:
        # Its readers look into what they are given before they look what it is.
        raise BrokenNotebookError("JSON of no notebook, or of a broken one") from error
    return notebook


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
    """Change the values that a file holds in lines, in place."""
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
    lines = isinstance(value, list) and all(isinstance(line, str) for line in value)
    return "".join(value) if lines else value


def _strip_transient(notebook: dict[str, Any]) -> None:
    """Drop what nbformat keeps in no file."""
    for key in _TRANSIENT:
        notebook["metadata"].pop(key, None)
    for cell in notebook["cells"]:
        cell["metadata"].pop("trusted", None)
