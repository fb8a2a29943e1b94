"""Outputs other than turns as `# %%%` units: streams, display data, errors, anything else."""

from __future__ import annotations

from types import NoneType
from typing import Any

from msgbook_format.outputs.file_references import (
    add_reference,
    drop_claims,
    read_reference,
    split_references,
    write_reference,
)
from msgbook_format.outputs.streams import count_joined, is_stream, read_streams, write_streams
from msgbook_format.syntax import jsontext
from msgbook_format.syntax.attributes import Attrs, Pairs
from msgbook_format.syntax.lines import is_base64, unwrap, wrap
from msgbook_format.syntax.text_cell import Unit
from msgbook_format.turn.model import TURN_MIME, turn_of

_BINARY = ("image/", "audio/", "video/", "font/", "application/pdf", "application/octet-stream")
_DISPLAY_FIELDS = {
    "display_data": {"output_type", "data", "metadata"},
    "execute_result": {"output_type", "data", "metadata", "execution_count"},
}
_ERROR_FIELDS = {"output_type", "ename", "evalue", "traceback"}

_Output = dict[str, Any]


def is_output(unit: Unit) -> bool:
    """Whether a unit below a prompt is an output of its own, not a block of a turn."""
    for key, _ in unit.attrs:
        if key in ("mime_type", "output"):
            return True
    if unit.kind == "nb":
        return ("block", "1") not in unit.attrs
    return unit.streams


def write_outputs(outputs: list[_Output], lang: str, count: int | None) -> list[list[Unit]]:
    """Units for outputs of a run, one list for each output or joined streams.

    `count` is the cell's execution count, which an `execute_result` shares unless it says another.
    """
    units: list[list[Unit]] = []
    index = 0
    while index < len(outputs):
        output = outputs[index]
        if is_stream(output):
            joined = count_joined(outputs, index)
            run = outputs[index : index + joined]
            eol: Pairs = [] if run[-1]["text"].endswith("\n") else [("eol", "0")]
            units.append([Unit(kind=lang, attrs=eol, body=write_streams(run), streams=True)])
            index += joined
            continue
        written = _write_display(output, lang, count) or _write_error(output, lang)
        units.append(written or [write_whole(output)])
        index += 1
    return units


def write_whole(value: Any) -> Unit:
    """A unit that holds an output as JSON."""
    return Unit(
        kind="nb",
        attrs=[("output", "json"), ("encoding", "json")],
        body=jsontext.dumps_indented(value),
    )


def read_output(unit: Unit, previous: list[_Output], count: int | None) -> list[_Output]:
    """The outputs of a unit; a further MIME type (`alt=1`) joins the last of `previous` instead."""
    attrs = Attrs(unit.attrs)
    kind = attrs.take("output")
    if unit.kind == "nb":
        whole = jsontext.load_object(unit.body)
        if whole is not None and (kind == "json" or isinstance(whole.get("output_type"), str)):
            drop_claims(whole)
            return [whole]
    if kind == "none":
        return []
    if kind == "error":
        return [_read_error(unit, attrs)]
    mime = attrs.take("mime_type")
    if mime in (None, "text/plain") and kind is None and unit.streams:
        return read_streams(unit.body, attrs.take("eol") != "0")
    mime = mime or "text/plain"
    # A turn stands in the text.
    reference = read_reference(attrs) if unit.body == "" and mime != TURN_MIME else None
    data = "" if reference else _read_data(unit.body, mime, attrs)
    if attrs.take("alt") == "1" and previous and _takes(previous[-1], mime):
        previous[-1]["data"][mime] = data
        if reference:
            add_reference(previous[-1]["metadata"], mime, reference)
        drop_claims(previous[-1])
        return []
    output: _Output = {"output_type": "display_data", "data": {mime: data}, "metadata": {}}
    if kind == "execute_result":
        output["output_type"] = kind
        output["execution_count"] = _number(attrs.take("result_n"), count)
    metadata = attrs.take("metadata")
    if metadata is not None:
        output["metadata"] = jsontext.load_object(metadata) or {}
    if reference:
        add_reference(output["metadata"], mime, reference)
    drop_claims(output)
    return [output]


def _takes(output: _Output, mime: str) -> bool:
    """Whether a further MIME type belongs to an output: not to a turn, which says its own."""
    if _display_fields(output) is None or turn_of(output) is not None:
        return False
    data = output.get("data")
    return isinstance(data, dict) and mime not in data


def _write_display(output: _Output, lang: str, count: int | None) -> list[Unit] | None:
    kind = output.get("output_type", "")
    data, metadata = output.get("data"), output.get("metadata")
    if output.keys() != _display_fields(output) or not isinstance(metadata, dict):
        return None
    if not isinstance(data, dict) or not data or "" in data:
        return None
    if type(output.get("execution_count")) not in (int, NoneType):
        return None
    # No further type joins a turn: see `_takes`.
    if len(data) > 1 and turn_of(output) is not None:
        return None
    references, metadata = split_references(output)
    units = []
    for mime in sorted(data, key=lambda mime: (mime != "text/plain", mime)):
        attrs: Pairs = [("mime_type", mime)]
        encoding, body = _encode(data[mime], mime)
        if mime in references:
            encoding = write_reference(references[mime])
        if body is None:
            return None
        units.append(Unit(kind=lang, attrs=attrs + encoding, body=body))
        attrs = units[-1].attrs
        if len(units) > 1:
            attrs.append(("alt", "1"))
            continue
        if kind == "execute_result":
            attrs.insert(0, ("output", kind))
            if not jsontext.same(output["execution_count"], count):
                attrs.append(("result_n", jsontext.dumps(output["execution_count"])))
        if metadata:
            attrs.append(("metadata", jsontext.dumps(metadata)))
    return units


def _display_fields(output: _Output) -> set[str] | None:
    """The keys of an output that is a display; None for any other."""
    kind = output.get("output_type")
    return _DISPLAY_FIELDS.get(kind) if isinstance(kind, str) else None


def is_binary(mime: str) -> bool:
    """Whether data of a MIME type are bytes, in BASE64."""
    return mime.startswith(_BINARY) and not mime.endswith(("+xml", "+json"))


def _encode(data: Any, mime: str) -> tuple[Pairs, str | None]:
    """Attributes and body for one datum; no body when plain text cannot carry it."""
    if not isinstance(data, str):
        return [("encoding", "json")], jsontext.dumps_indented(data)
    if jsontext.needs_json(data):
        return [], None
    if not is_binary(mime):
        return [], data
    line = data.removesuffix("\n")
    if not is_base64(line):
        return [("encoding", "text")], data
    eol: Pairs = [("eol", "1")] if line != data else []
    return [("encoding", "base64"), *eol], wrap(line)


def _read_data(body: str, mime: str, attrs: Attrs) -> Any:
    encoding = attrs.take("encoding")
    if encoding == "json":
        try:
            return jsontext.loads(body)
        except ValueError:
            return body
    if encoding == "base64" or (encoding is None and is_binary(mime)):
        return unwrap(body) + ("\n" if attrs.take("eol") == "1" else "")
    return body


def _write_error(output: _Output, lang: str) -> list[Unit] | None:
    traceback = output.get("traceback")
    if output.get("output_type") != "error" or output.keys() != _ERROR_FIELDS:
        return None
    if not isinstance(traceback, list) or not all(isinstance(entry, str) for entry in traceback):
        return None
    if not isinstance(output["ename"], str) or not isinstance(output["evalue"], str):
        return None
    body = "\n".join(traceback)
    if jsontext.needs_json(body):
        return None
    attrs: Pairs = [("output", "error"), ("status", "error")]
    attrs += [("ename", output["ename"]), ("evalue", output["evalue"])]
    if _split_traceback(body, None) != traceback:
        counts = ",".join(str(entry.count("\n") + 1) for entry in traceback)
        attrs.append(("tb", counts or "0"))
    return [Unit(kind="error" if lang == "code" else lang, attrs=attrs, body=body)]


def _read_error(unit: Unit, attrs: Attrs) -> _Output:
    return {
        "output_type": "error",
        "ename": attrs.take("ename") or "",
        "evalue": attrs.take("evalue") or "",
        "traceback": _split_traceback(unit.body, attrs.take("tb")),
    }


def _split_traceback(body: str, counts: str | None) -> list[str]:
    """Entries of a traceback; `counts` are their numbers of lines, by default all is one entry."""
    if counts is None:
        return [body] if body else []
    lines = body.split("\n")
    entries = []
    position = 0
    for count in counts.split(","):
        size = _number(count, 0) or 0
        if size > 0 and position < len(lines):
            entries.append("\n".join(lines[position : position + size]))
            position += size
    if position < len(lines) and body:
        entries.append("\n".join(lines[position:]))
    return entries


def _number(text: str | None, default: int | None) -> int | None:
    """The whole number that `text` says; `default` without one."""
    if text is None:
        return default
    try:
        value = jsontext.loads(text)
    except ValueError:
        return default
    return value if type(value) is int or value is None else default
