r"""Lone surrogates in a notebook while Jupytext works: nbformat can neither write nor sign them.

A text holds them as escapes (`\ud800`) in JSON or YAML. In the notebook a replacement character stands
for each, and `metadata.msgbook.as_written` keeps what stood there, as JSON, so that the text gets it back.
"""

from __future__ import annotations

import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.metadata import as_dict

_LONE = re.compile("[\ud800-\udfff]")
_KEPT = "as_written"

_Json = dict[str, Any]


def replace_surrogates(nb: _Json) -> _Json:
    """Return a notebook without lone surrogates; not in place."""
    if not _has_any(nb):
        return nb
    cells = [_replaced(cell) for cell in nb["cells"]]
    return _replaced({**nb, "cells": cells}, besides=("cells",))


def restore_surrogates(nb: _Json) -> _Json:
    """Return a notebook with what `replace_surrogates` replaced, where it was not changed since."""
    cells = [_restored(cell) for cell in nb["cells"]]
    return _restored({**nb, "cells": cells}, besides=("cells",))


def _replaced(node: _Json, besides: tuple[str, ...] = ("id",)) -> _Json:
    """Return a cell, or a notebook without its cells, with what keeps the original in its metadata."""
    own = {key: value for key, value in node.items() if key not in besides}
    rest = {key: node[key] for key in besides if key in node}
    if not _has_any(own):
        return node
    clean = _repaired(own)
    metadata = as_dict(clean.get("metadata"))
    kept = {**as_dict(metadata.get("msgbook")), _KEPT: jsontext.dumps(own)}
    return {**clean, **rest, "metadata": {**metadata, "msgbook": kept}}


def _restored(node: _Json, besides: tuple[str, ...] = ("id",)) -> _Json:
    metadata = as_dict(node.get("metadata"))
    ours = as_dict(metadata.get("msgbook"))
    text = ours.get(_KEPT)
    if not isinstance(text, str):
        return node
    rest = {key: node[key] for key in besides if key in node}
    own = {key: value for key, value in node.items() if key not in besides}
    left = {key: value for key, value in ours.items() if key != _KEPT}
    others = {key: value for key, value in metadata.items() if key != "msgbook"}
    own["metadata"] = {**others, "msgbook": left} if left else others
    original = jsontext.load_object(text)
    unchanged = original is not None and jsontext.is_same(_repaired(original), own)
    return {**(original if unchanged and original is not None else own), **rest}


def _repaired(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_repaired(key): _repaired(item) for key, item in value.items()}
    return [_repaired(item) for item in value] if isinstance(value, list | tuple) else value


def _has_any(value: Any) -> bool:
    if isinstance(value, str):
        return not value.isascii() and _LONE.search(value) is not None
    if isinstance(value, dict):
        return any(_has_any(key) or _has_any(item) for key, item in value.items())
    return isinstance(value, list | tuple) and any(map(_has_any, value))
