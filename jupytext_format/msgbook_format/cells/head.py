"""The head of a cell: `# %%`, footnote and body, as a notebook cell and back."""

from __future__ import annotations

from typing import Any

from msgbook_format.cells.code import is_code, read_code, write_code
from msgbook_format.outputs.file_references import drop_claims, outputs_of
from msgbook_format.syntax import jsontext
from msgbook_format.syntax.attributes import Attrs, is_type, pairs_of
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.text_cell import Unit, is_title
from msgbook_format.turn.output_cells.turns import without_derived

_TEXT_KEYS = ("history", "agent", "model", "role")
_NAMED_KINDS = frozenset(("markdown", "code", "raw", "nb"))
_RESERVED = frozenset(
    (*_TEXT_KEYS, "attachments", "cell", "id", "metadata", "summary", "summary_of", "title")
)
_FIELDS = {
    "code": {"id", "cell_type", "metadata", "source", "outputs", "execution_count"},
    "markdown": {"id", "cell_type", "metadata", "source", "attachments"},
    "raw": {"id", "cell_type", "metadata", "source", "attachments"},
}


def read_cell(unit: Unit, ctx: Context) -> dict[str, Any]:
    """The cell of a head unit, without id; its `outputs`, if a code cell, are empty."""
    attrs = Attrs(unit.attrs)
    attrs.take("id")
    kind = unit.kind or "markdown"
    cell_type = _take_cell_type(attrs, kind)
    source = unit.body
    code: dict[str, Any] = {}
    if cell_type == "code" and kind == "code":
        source, code = read_code(unit.body, ctx)
    metadata = _read_metadata(attrs)
    named = {"code": "code", "raw": "raw", "markdown": "markdown"}[cell_type]
    if kind not in ("markdown", named):
        code["type"] = kind
    ours = {**_take_ours(unit, attrs), **code}
    if attrs.rest:
        ours["attrs"] = [list(pair) for pair in attrs.rest]
    if ours:
        metadata["msgbook"] = {**metadata.get("msgbook", {}), **ours}
    cell: dict[str, Any] = {"cell_type": cell_type, "metadata": metadata, "source": source}
    if cell_type == "code":
        cell.update(execution_count=None, outputs=[])
    elif ("attachments", "0") in unit.attrs:
        cell["attachments"] = {}
    return cell


def write_cell(cell: dict[str, Any], ctx: Context) -> Unit:
    """The head unit of a cell, without label and id; what fits no construct stands as JSON."""
    if not is_plain(cell):
        whole = _saved_cell(cell)
        return Unit(kind="nb", attrs=[("encoding", "json")], body=jsontext.dumps_indented(whole))
    cell_type, source = cell["cell_type"], cell["source"]
    rest = saved_metadata(cell["metadata"])
    ours = dict(rest.pop("msgbook", {}))
    unit = Unit(kind="markdown", body=source)
    custom = ours.get("type")
    if cell_type == "code" and is_code(source, ctx):
        unit.kind, unit.body = "code", write_code(source, ours, ctx)
    elif cell_type == "raw":
        unit.kind = "raw"
    elif isinstance(custom, str) and is_type(custom) and custom not in _NAMED_KINDS:
        unit.kind = ours.pop("type")
    if cell_type == "markdown":
        unit.attrs.append(("cell", "markdown"))
    if cell.get("attachments") == {}:
        unit.attrs.append(("attachments", "0"))
    _write_ours(unit, ours)
    if ours:
        rest["msgbook"] = ours
    if rest:
        unit.attrs.append(("metadata", jsontext.dumps(rest)))
    return unit


def read_whole(unit: Unit) -> dict[str, Any] | None:
    """The cell that an `[nb]` unit holds as JSON; None when it holds none."""
    cell = jsontext.load_object(unit.body) if unit.kind == "nb" else None
    if cell is None or not isinstance(cell.get("cell_type"), str):
        return None
    metadata = cell.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("msgbook", {}), dict):
        return None
    cell.pop("id", None)
    cell["metadata"] = saved_metadata(metadata)
    for output in outputs_of(cell):
        drop_claims(output)
    return cell


def same_head(alone: dict[str, Any], cell: dict[str, Any]) -> bool:
    """Whether `alone`, read from a head, has the head of `cell`: but for the id and what follows.

    Attachments below a head count, even if it says that there are none.
    """
    bare = bool(cell.get("attachments")) or _is_bare(alone) == _is_bare(cell)
    return bare and jsontext.same(_head(alone), _head(cell))


def same_whole(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether two cells are equal but for ids."""
    return jsontext.same(_saved_cell(left), _saved_cell(right))


def _head(cell: dict[str, Any]) -> list[Any]:
    return [cell["cell_type"], cell["source"], saved_metadata(cell["metadata"])]


def _is_bare(cell: dict[str, Any]) -> bool:
    return cell.get("attachments") == {}


def _saved_cell(cell: dict[str, Any]) -> dict[str, Any]:
    saved = {key: value for key, value in cell.items() if key != "id"}
    if isinstance(cell.get("metadata"), dict):
        saved["metadata"] = saved_metadata(cell["metadata"])
    if isinstance(cell.get("outputs"), list):
        saved["outputs"] = without_derived(cell["outputs"])
    return saved


def saved_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Metadata without what is never in a file: trust, the verbatim bits, an empty mapping."""
    saved = {key: value for key, value in metadata.items() if key != "trusted"}
    ours = saved.get("msgbook")
    if isinstance(ours, dict) and ("text" in ours or not ours):
        saved["msgbook"] = {key: value for key, value in ours.items() if key != "text"}
        if not saved["msgbook"]:
            del saved["msgbook"]
    return saved


def is_plain(cell: dict[str, Any]) -> bool:
    """Whether a cell can stand as text; the others stand as JSON with all they hold."""
    return is_regular(cell) and not jsontext.needs_json(cell["source"])


def is_regular(cell: dict[str, Any]) -> bool:
    """Whether a cell has what nbformat says of its type, and nothing else."""
    fields = _FIELDS.get(cell.get("cell_type", ""))
    metadata = cell.get("metadata")
    if fields is None or not cell.keys() <= fields or not isinstance(metadata, dict):
        return False
    if not isinstance(cell.get("source"), str):
        return False
    if not isinstance(metadata.get("msgbook", {}), dict):
        return False
    if cell["cell_type"] == "code":
        count = cell.get("execution_count", False)
        outputs = cell.get("outputs")
        return (
            isinstance(outputs, list)
            and all(isinstance(output, dict) for output in outputs)
            and (count is None or (type(count) is int and 0 <= count < 10**15))
        )
    return _plain_attachments(cell.get("attachments", {}))


def _plain_attachments(attachments: Any) -> bool:
    return isinstance(attachments, dict) and all(
        isinstance(bundle, dict)
        and bundle
        and all(isinstance(data, str) for data in bundle.values())
        for bundle in attachments.values()
    )


def _take_cell_type(attrs: Attrs, kind: str) -> str:
    given = attrs.take("cell")
    if given in ("markdown", "raw"):
        return given
    if given is not None and given != "code":
        attrs.put_back("cell", given)
    return "raw" if kind == "raw" else "code"


def _read_metadata(attrs: Attrs) -> dict[str, Any]:
    text = attrs.take("metadata")
    if text is None:
        return {}
    metadata = jsontext.load_object(text)
    if metadata is None or not isinstance(metadata.get("msgbook", {}), dict):
        attrs.put_back("metadata", text)
        return {}
    return saved_metadata(metadata)


def _take_ours(unit: Unit, attrs: Attrs) -> dict[str, Any]:
    ours: dict[str, Any] = {}
    title = attrs.take("title")
    if title is None:
        title = unit.title
    if title is not None:
        ours["title"] = title
    for key in _TEXT_KEYS:
        value = attrs.take(key)
        if value is not None:
            ours[key] = value
    text, source = attrs.take("summary"), attrs.take("summary_of")
    if text is not None:
        ours["summary"] = {"text": text} if source is None else {"text": text, "source": source}
    elif source is not None:
        attrs.put_back("summary_of", source)
    if ("attachments", "0") in attrs.rest:
        attrs.rest.remove(("attachments", "0"))
    return ours


def _write_ours(unit: Unit, ours: dict[str, Any]) -> None:
    """Move what attributes can say from `ours` to `unit`."""
    title = ours.get("title")
    if isinstance(title, str):
        del ours["title"]
        if is_title(title):
            unit.title = title
        else:
            unit.attrs.append(("title", title))
    for key in _TEXT_KEYS:
        if isinstance(ours.get(key), str):
            unit.attrs.append((key, ours.pop(key)))
    summary = ours.get("summary")
    if isinstance(summary, dict) and isinstance(summary.get("text"), str):
        source = summary.get("source")
        if summary.keys() == {"text"} or (len(summary) == 2 and isinstance(source, str)):
            unit.attrs.append(("summary", ours.pop("summary")["text"]))
            if source is not None:
                unit.attrs.append(("summary_of", source))
    pairs = pairs_of(ours.get("attrs"), _RESERVED)
    if pairs is not None:
        del ours["attrs"]
        unit.attrs += pairs
