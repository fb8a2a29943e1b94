"""Cells and outputs that nbformat cannot write, and stand-ins for them while Jupytext works.

A text may hold them, as `[nb]`. A stand-in shows their JSON and keeps them in
`metadata.msgbook.whole`, so that the text gets them back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgbook_format import jsontext

_WHOLE = "whole"
_DISPLAYS = ("display_data", "execute_result")

_Json = dict[str, Any]


def replace_unwritable(cells: list[_Json]) -> list[_Json]:
    """Return the cells with stand-ins for all that nbformat cannot write; not in place."""
    return [_replaced(cell) for cell in cells]


def restore_unwritable(cells: list[_Json]) -> list[_Json]:
    """Return the cells without the stand-ins of `replace_unwritable` that were not changed."""
    return [_restored(cell) for cell in cells]


def _replaced(cell: _Json) -> _Json:
    if not _fits_cell(cell):
        whole = {key: value for key, value in cell.items() if key not in ("id", "metadata")}
        shown = {"cell_type": "raw", "source": jsontext.dumps_indented(whole)}
        named = {"id": cell["id"]} if "id" in cell else {}
        return {**named, **shown, "metadata": _with_whole(cell["metadata"], whole)}
    return _map_outputs(cell, lambda output: output if _fits_output(output) else _stand_in(output))


def _restored(cell: _Json) -> _Json:
    found = _find_whole(cell.get("metadata"))
    if found is not None and cell.get("source") == jsontext.dumps_indented(found[1]):
        rest, whole = found
        named = {"id": cell["id"]} if "id" in cell else {}
        if isinstance(whole, dict) and not _fits_cell({**whole, "metadata": rest}):
            return {**named, **whole, "metadata": rest}
    return _map_outputs(cell, _restored_output)


def _map_outputs(cell: _Json, change: Callable[[Any], Any]) -> _Json:
    outputs = cell.get("outputs")
    return {**cell, "outputs": list(map(change, outputs))} if isinstance(outputs, list) else cell


def _stand_in(output: Any) -> _Json:
    data = {"text/plain": jsontext.dumps_indented(output)}
    return {"output_type": "display_data", "data": data, "metadata": _with_whole({}, output)}


def _restored_output(output: Any) -> Any:
    found = _find_whole(output.get("metadata")) if isinstance(output, dict) else None
    if found is None:
        return output
    whole = found[1]
    return (
        whole if not _fits_output(whole) and jsontext.is_same(output, _stand_in(whole)) else output
    )


def _with_whole(metadata: _Json, whole: Any) -> _Json:
    return {**metadata, "msgbook": {**metadata.get("msgbook", {}), _WHOLE: whole}}


def _find_whole(metadata: Any) -> tuple[_Json, Any] | None:
    """Return metadata without `whole`, and its value; None without it."""
    ours = metadata.get("msgbook") if isinstance(metadata, dict) else None
    if not isinstance(ours, dict) or _WHOLE not in ours:
        return None
    rest = {key: value for key, value in ours.items() if key != _WHOLE}
    others = {key: value for key, value in metadata.items() if key != "msgbook"}
    return ({**others, "msgbook": rest} if rest else others), ours[_WHOLE]


def _fits_cell(cell: _Json) -> bool:
    attachments = cell.get("attachments", {})
    return (
        isinstance(cell.get("source"), str)
        and isinstance(attachments, dict)
        and all(isinstance(bundle, dict) for bundle in attachments.values())
        and (cell.get("cell_type") != "code" or isinstance(cell.get("outputs"), list))
    )


def _fits_output(output: Any) -> bool:
    if not isinstance(output, dict) or not isinstance(output.get("output_type"), str):
        return False
    if output["output_type"] in _DISPLAYS:
        return isinstance(output.get("data"), dict)
    text = output.get("text", None if output["output_type"] == "stream" else "")
    lines = text if isinstance(text, list) else [text]
    return all(isinstance(line, str) for line in lines)
