"""The head of a cell as a notebook cell, and back."""

from __future__ import annotations

from typing import Any

from msgbook_format import jsontext
from msgbook_format.cells.code import is_code, read_code, write_code
from msgbook_format.outputs.execution_times import KEY as EXECUTION
from msgbook_format.outputs.execution_times import has_own_times
from msgbook_format.outputs.file_references import drop_loaded, outputs_of
from msgbook_format.outputs.output_history import without_marks
from msgbook_format.syntax.attributes import AttributeReader, attributes_from_json, is_type
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.text_cell import TextCell, is_title
from msgbook_format.turn.output_cells.turns import without_derived
from msgbook_format.typed import as_dict, has, is_dicts, is_table_of_texts

_TEXT_KEYS = ("history", "agent", "model", "role")
_NAMED_KINDS = frozenset(("markdown", "code", "raw", "nb"))
_RESERVED = frozenset(
    (*_TEXT_KEYS, "attachments", "cell", "id", "metadata", "summary", "summary_of", "title")
)


def read_head(head: TextCell, dialect: Dialect, cell_type: str | None = None) -> dict[str, Any]:
    """Return the cell of a head, without id; a code cell has no outputs yet.

    Args:
        cell_type: Type of the cell; by default the head says it.
    """
    attributes = AttributeReader(head.attributes)
    attributes.take("id")
    kind = head.type or "markdown"
    if cell_type is None:
        cell_type = _take_cell_type(attributes, kind)
    source = head.body
    code: dict[str, Any] = {}
    if cell_type == "code" and kind == "code":
        source, code = read_code(head.body, dialect)
    elif cell_type == "code":
        source = dialect.rule.read_body(head.body)
    metadata = _read_metadata(attributes)
    named = {"code": "code", "raw": "raw", "markdown": "markdown"}[cell_type]
    if kind not in ("markdown", named):
        code["type"] = kind
    msgbook = {**_take_msgbook(head, attributes), **code}
    if attributes.rest:
        msgbook["attrs"] = [list(pair) for pair in attributes.rest]
    if msgbook:
        metadata["msgbook"] = {**metadata.get("msgbook", {}), **msgbook}
    cell: dict[str, Any] = {"cell_type": cell_type, "metadata": metadata, "source": source}
    if cell_type == "code":
        cell.update(execution_count=None, outputs=[])
    elif ("attachments", "0") in head.attributes:
        cell["attachments"] = {}
    return cell


def write_head(cell: dict[str, Any], dialect: Dialect) -> TextCell:
    """Return the head of a cell, without label and id; a cell without a text form is JSON."""
    if not is_plain(cell):
        body = jsontext.dumps_indented(_saved_cell(cell))
        return TextCell(type="nb", attributes=[("encoding", "json")], body=body)
    cell_type, source = cell["cell_type"], cell["source"]
    is_code_cell = cell_type == "code" and is_code(source, dialect)
    rest = _head_metadata(cell, is_code_cell)
    msgbook = dict(rest.pop("msgbook", {}))
    is_message = cell_type == "code" and not is_code_cell
    body = dialect.rule.write_body(source) if is_message else source
    head = TextCell(type="markdown", body=body)
    custom = msgbook.get("type")
    if is_code_cell:
        head.type, head.body = "code", write_code(source, msgbook, dialect)
    elif cell_type == "raw":
        head.type = "raw"
    elif isinstance(custom, str) and is_type(custom) and custom not in _NAMED_KINDS:
        head.type = msgbook.pop("type")
    if cell_type == "markdown":
        head.attributes.append(("cell", "markdown"))
    if cell.get("attachments") == {}:
        head.attributes.append(("attachments", "0"))
    _write_msgbook(head, msgbook)
    if msgbook:
        rest["msgbook"] = msgbook
    if rest:
        head.attributes.append(("metadata", jsontext.dumps(rest)))
    return head


def read_json_cell(head: TextCell) -> dict[str, Any] | None:
    """Return the cell that a head of the type `nb` holds as JSON; None if it holds none."""
    cell = jsontext.load_object(head.body) if head.type == "nb" else None
    if cell is None or not has(cell, cell_type=str, metadata=dict):
        return None
    if not isinstance(cell["metadata"].get("msgbook", {}), dict):
        return None
    cell.pop("id", None)
    cell["metadata"] = saved_metadata(cell["metadata"])
    for output in outputs_of(cell):
        drop_loaded(output)
    return cell


def has_same_head(alone: dict[str, Any], cell: dict[str, Any], is_code_cell: bool) -> bool:
    """Return whether `alone`, read from a head, has the head of `cell`, but for the id.

    A head that says `attachments=0` can have attachments below it, which then count. A head may hold
    `metadata.execution` although the first output gives it as well.

    Args:
        is_code_cell: Whether that is a `[code]` cell.
    """
    if not cell.get("attachments") and _lists_no_attachments(alone) != _lists_no_attachments(cell):
        return False
    gives_times = is_code_cell and EXECUTION not in alone["metadata"]
    return jsontext.is_same(_head_fields(alone, False), _head_fields(cell, gives_times))


def is_same_cell(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Return whether two cells are equal but for ids."""
    return jsontext.is_same(_saved_cell(left), _saved_cell(right))


def _head_fields(cell: dict[str, Any], gives_times: bool) -> list[Any]:
    return [cell["cell_type"], cell["source"], _head_metadata(cell, gives_times)]


def _head_metadata(cell: dict[str, Any], gives_times: bool) -> dict[str, Any]:
    """Return the metadata of a cell without what its outputs hold.

    Args:
        gives_times: Whether the first output may hold `metadata.execution`.
    """
    metadata = without_marks(saved_metadata(cell["metadata"]), cell.get("outputs"))
    if gives_times and has_own_times(cell):
        return {key: value for key, value in metadata.items() if key != EXECUTION}
    return metadata


def _lists_no_attachments(cell: dict[str, Any]) -> bool:
    return cell.get("attachments") == {}


def _saved_cell(cell: dict[str, Any]) -> dict[str, Any]:
    saved = {key: value for key, value in cell.items() if key != "id"}
    if isinstance(cell.get("metadata"), dict):
        saved["metadata"] = saved_metadata(cell["metadata"])
    if isinstance(cell.get("outputs"), list):
        saved["outputs"] = without_derived(cell["outputs"])
    return saved


def saved_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata without what no file holds: trust, verbatim bits, an empty `msgbook`."""
    saved = {key: value for key, value in metadata.items() if key != "trusted"}
    msgbook = saved.get("msgbook")
    if isinstance(msgbook, dict) and ("text" in msgbook or not msgbook):
        saved["msgbook"] = {key: value for key, value in msgbook.items() if key != "text"}
        if not saved["msgbook"]:
            del saved["msgbook"]
    return saved


def _take_cell_type(attributes: AttributeReader, kind: str) -> str:
    given = attributes.take("cell")
    # What has the type `raw` is hidden, whatever else its footnote says.
    cell_type = "raw" if kind == "raw" else given if given in ("markdown", "raw") else "code"
    if given is not None and given not in ("code", cell_type):
        attributes.put_back("cell", given)
    return cell_type


def _read_metadata(attributes: AttributeReader) -> dict[str, Any]:
    text = attributes.take("metadata")
    if text is None:
        return {}
    metadata = jsontext.load_object(text)
    if metadata is None or not isinstance(metadata.get("msgbook", {}), dict):
        attributes.put_back("metadata", text)
        return {}
    return saved_metadata(metadata)


def _take_msgbook(head: TextCell, attributes: AttributeReader) -> dict[str, Any]:
    msgbook: dict[str, Any] = {}
    title = attributes.take("title")
    if title is None:
        title = head.title
    if title is not None:
        msgbook["title"] = title
    for key in _TEXT_KEYS:
        value = attributes.take(key)
        if value is not None:
            msgbook[key] = value
    text, source = attributes.take("summary"), attributes.take("summary_of")
    if text is not None:
        msgbook["summary"] = {"text": text} if source is None else {"text": text, "source": source}
    elif source is not None:
        attributes.put_back("summary_of", source)
    if ("attachments", "0") in attributes.rest:
        attributes.rest.remove(("attachments", "0"))
    return msgbook


def _write_msgbook(head: TextCell, msgbook: dict[str, Any]) -> None:
    """Move keys that have attributes from `msgbook` to `head`, in place."""
    title = msgbook.get("title")
    if isinstance(title, str):
        del msgbook["title"]
        if is_title(title):
            head.title = title
        else:
            head.attributes.append(("title", title))
    for key in _TEXT_KEYS:
        if isinstance(msgbook.get(key), str):
            head.attributes.append((key, msgbook.pop(key)))
    summary = as_dict(msgbook.get("summary"))
    if isinstance(summary.get("text"), str):
        source = summary.get("source")
        if summary.keys() == {"text"} or (len(summary) == 2 and isinstance(source, str)):
            head.attributes.append(("summary", msgbook.pop("summary")["text"]))
            if source is not None:
                head.attributes.append(("summary_of", source))
    pairs = attributes_from_json(msgbook.get("attrs"), _RESERVED)
    if pairs is not None:
        del msgbook["attrs"]
        head.attributes += pairs


# Cells that have the fields of nbformat and no others, and so a text form.


_FIELDS = {
    "code": {"id", "cell_type", "metadata", "source", "outputs", "execution_count"},
    "markdown": {"id", "cell_type", "metadata", "source", "attachments"},
    "raw": {"id", "cell_type", "metadata", "source", "attachments"},
}


def is_plain(cell: dict[str, Any]) -> bool:
    """Return whether a cell has a text form; any other is written as JSON."""
    return is_regular(cell) and not jsontext.needs_json(cell["source"])


def is_regular(cell: dict[str, Any]) -> bool:
    """Return whether a cell has the fields that nbformat gives its type, and no others."""
    fields = _FIELDS.get(cell.get("cell_type", ""))
    if fields is None or not cell.keys() <= fields or not has(cell, source=str, metadata=dict):
        return False
    if not isinstance(cell["metadata"].get("msgbook", {}), dict):
        return False
    if cell["cell_type"] == "code":
        count = cell.get("execution_count", False)
        outputs = cell.get("outputs")
        return is_dicts(outputs) and (count is None or (type(count) is int and 0 <= count < 10**15))
    return _plain_attachments(cell.get("attachments", {}))


def _plain_attachments(attachments: Any) -> bool:
    return isinstance(attachments, dict) and all(
        bundle and is_table_of_texts(bundle) for bundle in attachments.values()
    )
