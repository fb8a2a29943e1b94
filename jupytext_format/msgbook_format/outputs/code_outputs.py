"""Outputs other than turns as output cells: streams, display data, errors, anything else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import NoneType
from typing import Any

from msgbook_format import jsontext
from msgbook_format.outputs.file_references import (
    add_reference,
    drop_loaded,
    read_reference,
    split_references,
    write_reference,
)
from msgbook_format.outputs.output_history import split_own_history
from msgbook_format.syntax.attributes import AttributeReader, Attributes
from msgbook_format.syntax.lines import STREAM_PREFIX, is_base64, unwrap, wrap
from msgbook_format.syntax.text_cell import TextCell
from msgbook_format.turn.model import TURN_MIME, turn_of
from msgbook_format.typed import as_text, has, is_texts

_BINARY = ("image/", "audio/", "video/", "font/", "application/pdf", "application/octet-stream")
_DISPLAY_FIELDS = {
    "display_data": {"output_type", "data", "metadata"},
    "execute_result": {"output_type", "data", "metadata", "execution_count"},
}

_Output = dict[str, Any]


def is_output(output_cell: TextCell) -> bool:
    """Return whether an output cell below a prompt is an output, not a block of a turn."""
    for key, _ in output_cell.attributes:
        if key in ("mime_type", "output"):
            return True
    if output_cell.type == "nb":
        return ("block", "1") not in output_cell.attributes
    return output_cell.has_streams


def is_alternative(output_cell: TextCell) -> bool:
    """Return whether an output cell is a further MIME type of the output above it."""
    return AttributeReader(output_cell.attributes).take("alt") == "1"


def write_outputs(
    outputs: list[_Output], lang: str, count: int | None, histories: Sequence[str | None]
) -> list[list[TextCell]]:
    """Return output cells, in one list for each output or group of joined streams.

    Args:
        lang: Type of the output cells.
        histories: For each output, the `history` value that it does not hold itself.
        count: Execution count of the cell; an `execute_result` with another one gets `result_n`.
    """
    output_cells: list[list[TextCell]] = []
    index = 0
    while index < len(outputs):
        output = outputs[index]
        if is_stream(output):
            joined = count_joined(outputs, index, histories)
            written = [write_streams(outputs[index : index + joined], lang)]
        else:
            joined = 1
            displayed = _write_display(output, lang, count) or write_error(output, lang)
            written = displayed or [write_json_output(output)]
        history = histories[index]
        if history is not None:
            written[0].attributes.append(("history", history))
        output_cells.append(written)
        index += joined
    return output_cells


def write_json_output(value: Any) -> TextCell:
    """Return an output cell that holds an output as JSON."""
    return TextCell(
        type="nb",
        attributes=[("output", "json"), ("encoding", "json")],
        body=jsontext.dumps_indented(value),
    )


def read_output(output_cell: TextCell, previous: list[_Output], count: int | None) -> list[_Output]:
    """Return the outputs in an output cell.

    A further MIME type (`alt=1`) is added to the last of `previous`, in place.
    """
    attributes = AttributeReader(output_cell.attributes)
    kind = attributes.take("output")
    if output_cell.type == "nb":
        json_output = jsontext.load_object(output_cell.body)
        if json_output is not None and (kind == "json" or has(json_output, output_type=str)):
            drop_loaded(json_output)
            return [json_output]
    if kind == "none":
        return []
    if kind == "error":
        return [read_error(output_cell, attributes)]
    mime = attributes.take("mime_type")
    if mime in (None, "text/plain") and kind is None and output_cell.has_streams:
        return read_streams(output_cell.body, attributes)
    mime = mime or "text/plain"
    # A turn is written into the text, never into a file.
    reference = read_reference(attributes) if output_cell.body == "" and mime != TURN_MIME else None
    data = "" if reference else _read_data(output_cell.body, mime, attributes)
    if attributes.take("alt") == "1" and previous and _can_add(previous[-1], mime):
        previous[-1]["data"][mime] = data
        if reference:
            add_reference(previous[-1]["metadata"], mime, reference)
        drop_loaded(previous[-1])
        return []
    output: _Output = {"output_type": "display_data", "data": {mime: data}, "metadata": {}}
    if kind == "execute_result":
        output["output_type"] = kind
        output["execution_count"] = read_number(attributes.take("result_n"), count)
    metadata = attributes.take("metadata")
    if metadata is not None:
        output["metadata"] = jsontext.load_object(metadata) or {}
    if reference:
        add_reference(output["metadata"], mime, reference)
    drop_loaded(output)
    return [output]


def _can_add(output: _Output, mime: str) -> bool:
    """Return whether an output can have a further MIME type; a turn cannot."""
    if _display_fields(output) is None or turn_of(output) is not None:
        return False
    data = output.get("data")
    return isinstance(data, dict) and mime not in data


def _write_display(output: _Output, lang: str, count: int | None) -> list[TextCell] | None:
    kind = output.get("output_type", "")
    data, metadata = output.get("data"), output.get("metadata")
    if output.keys() != _display_fields(output) or not isinstance(metadata, dict):
        return None
    if not isinstance(data, dict) or not data or "" in data:
        return None
    if type(output.get("execution_count")) not in (int, NoneType):
        return None
    # A turn has no further types: see `_can_add`.
    if len(data) > 1 and turn_of(output) is not None:
        return None
    references, metadata = split_references(output)
    history, metadata = split_own_history(metadata)
    output_cells = []
    for mime in sorted(data, key=lambda mime: (mime != "text/plain", mime)):
        attributes: Attributes = [("mime_type", mime)]
        encoding, body = _encode(data[mime], mime)
        if mime in references:
            encoding = write_reference(references[mime])
        if body is None:
            return None
        output_cells.append(TextCell(type=lang, attributes=attributes + encoding, body=body))
        attributes = output_cells[-1].attributes
        if len(output_cells) > 1:
            attributes.append(("alt", "1"))
            continue
        if kind == "execute_result":
            attributes.insert(0, ("output", kind))
            if not jsontext.is_same(output["execution_count"], count):
                attributes.append(("result_n", jsontext.dumps(output["execution_count"])))
        if history is not None:
            attributes.append(("history", history))
        if metadata:
            attributes.append(("metadata", jsontext.dumps(metadata)))
    return output_cells


def _display_fields(output: _Output) -> set[str] | None:
    """Return the keys of an output that is a display; None for any other."""
    kind = output.get("output_type")
    return _DISPLAY_FIELDS.get(as_text(kind))


def is_binary(mime: str) -> bool:
    """Return whether data of a MIME type are bytes, in BASE64."""
    return mime.startswith(_BINARY) and not mime.endswith(("+xml", "+json"))


def _encode(data: Any, mime: str) -> tuple[Attributes, str | None]:
    """Return attributes and body for the data of one MIME type; no body if text cannot hold them."""
    if not isinstance(data, str):
        return [("encoding", "json")], jsontext.dumps_indented(data)
    if jsontext.needs_json(data):
        return [], None
    if not is_binary(mime):
        return [], data
    line = data.removesuffix("\n")
    if not is_base64(line):
        return [("encoding", "text")], data
    eol: Attributes = [("eol", "1")] if line != data else []
    return [("encoding", "base64"), *eol], wrap(line)


def _read_data(body: str, mime: str, attributes: AttributeReader) -> Any:
    encoding = attributes.take("encoding")
    if encoding == "json":
        try:
            return jsontext.loads(body)
        except ValueError:
            return body
    if encoding == "base64" or (encoding is None and is_binary(mime)):
        return unwrap(body) + ("\n" if attributes.take("eol") == "1" else "")
    return body


# Errors as output cells, and back.


_ERROR_FIELDS = {"output_type", "ename", "evalue", "traceback"}


def write_error(output: dict[str, Any], lang: str) -> list[TextCell] | None:
    """Return the output cell of an error; None for any other output."""
    traceback = output.get("traceback")
    if output.get("output_type") != "error" or output.keys() != _ERROR_FIELDS:
        return None
    if not is_texts(traceback) or not has(output, ename=str, evalue=str):
        return None
    body = "\n".join(traceback)
    if jsontext.needs_json(body):
        return None
    attributes: Attributes = [("output", "error"), ("status", "error")]
    attributes += [("ename", output["ename"]), ("evalue", output["evalue"])]
    if _split_traceback(body, None) != traceback:
        counts = ",".join(str(entry.count("\n") + 1) for entry in traceback)
        attributes.append(("tb", counts or "0"))
    return [TextCell(type="error" if lang == "code" else lang, attributes=attributes, body=body)]


def read_error(output_cell: TextCell, attributes: AttributeReader) -> dict[str, Any]:
    """Return the error in an output cell."""
    return {
        "output_type": "error",
        "ename": attributes.take("ename") or "",
        "evalue": attributes.take("evalue") or "",
        "traceback": _split_traceback(output_cell.body, attributes.take("tb")),
    }


def _split_traceback(body: str, counts: str | None) -> list[str]:
    """Return the entries of a traceback; `counts` are their numbers of lines, None for one entry."""
    if counts is None:
        return [body] if body else []
    lines = body.split("\n")
    entries = []
    position = 0
    for count in counts.split(","):
        size = read_number(count, 0) or 0
        if size > 0 and position < len(lines):
            entries.append("\n".join(lines[position : position + size]))
            position += size
    if position < len(lines) and body:
        entries.append("\n".join(lines[position:]))
    return entries


def read_number(text: str | None, default: int | None) -> int | None:
    """Return the whole number in `text`; `default` without one."""
    if text is None:
        return default
    try:
        value = jsontext.loads(text)
    except ValueError:
        return default
    return value if type(value) is int or value is None else default


# Streams as lines with the prefix `stdout> ` or `stderr> `, in the order of arrival.


_FIELDS = {"output_type", "name", "text"}
_CRLF, _ESCAPES = "crlf", "escapes"
_ESCAPED = re.compile(r"\\(\\|r)")


def is_stream(output: dict[str, Any]) -> bool:
    """Return whether an output can be written as prefixed lines."""
    text = output.get("text")
    return (
        output.get("output_type") == "stream"
        and output.keys() == _FIELDS
        and output["name"] in ("stdout", "stderr")
        and isinstance(text, str)
        and text != ""
        and not jsontext.needs_json(text.replace("\r", ""))
    )


def count_joined(
    outputs: Sequence[dict[str, Any]], start: int, histories: Sequence[str | None]
) -> int:
    """Return how many streams from `start` on fit in one body: as long as the name changes.

    Args:
        histories: `history` value of each output; those in one body have the same one.
    """
    count = 1
    spelling = _spelling_of(outputs[start]["text"])
    while start + count < len(outputs):
        last, following = outputs[start + count - 1], outputs[start + count]
        if not is_stream(following) or following["name"] == last["name"]:
            break
        if histories[start + count] != histories[start]:
            break
        if not last["text"].endswith("\n") or _spelling_of(following["text"]) != spelling:
            break
        count += 1
    return count


def write_streams(outputs: Sequence[dict[str, Any]], lang: str) -> TextCell:
    """Return the output cell of streams that fit in one body (`count_joined`)."""
    spelling = _spelling_of(outputs[0]["text"])
    attributes: Attributes = [] if spelling is None else [(spelling, "1")]
    if not outputs[-1]["text"].endswith("\n"):
        attributes.append(("eol", "0"))
    lines = []
    for output in outputs:
        prefix = f"{output['name']}>"
        text = _spelled(output["text"], spelling).removesuffix("\n")
        lines += [f"{prefix} {line}" if line else prefix for line in text.split("\n")]
    return TextCell(type=lang, attributes=attributes, body="\n".join(lines), has_streams=True)


def read_streams(body: str, attributes: AttributeReader) -> list[dict[str, Any]]:
    """Return the outputs in a body: a stream for each run of a prefix, other lines as plain text."""
    runs: list[tuple[str, list[str]]] = []
    for line in body.split("\n"):
        match = STREAM_PREFIX.match(line)
        name = match[1] if match else ""
        if not match and not line.strip():
            if runs and not runs[-1][0]:
                runs[-1][1].append(line)
            continue
        if not runs or runs[-1][0] != name:
            runs.append((name, []))
        runs[-1][1].append(line[match.end() :].removeprefix(" ") if match else line)
    outputs = [_output(name, lines) for name, lines in runs]
    if attributes.take("eol") == "0" and outputs and outputs[-1]["output_type"] == "stream":
        outputs[-1]["text"] = outputs[-1]["text"][:-1]
    has_escapes, has_crlf = (attributes.take(key) == "1" for key in (_ESCAPES, _CRLF))
    for output in outputs:
        if output["output_type"] == "stream":
            output["text"] = _read(output["text"], has_escapes, has_crlf)
    return [output for output in outputs if output.get("text") != ""]


def _output(name: str, lines: list[str]) -> dict[str, Any]:
    if name:
        return {"output_type": "stream", "name": name, "text": "\n".join(lines) + "\n"}
    text = "\n".join(lines).strip("\n")
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}


def _spelling_of(text: str) -> str | None:
    """Return how carriage returns are written: with the line ends, as escapes; None without any."""
    if "\r" not in text:
        return None
    return _ESCAPES if {"\r", "\n"} & set(text.replace("\r\n", "")) else _CRLF


def _spelled(text: str, spelling: str | None) -> str:
    if spelling == _CRLF:
        return text.replace("\r\n", "\n")
    return text.replace("\\", "\\\\").replace("\r", "\\r") if spelling == _ESCAPES else text


def _read(text: str, has_escapes: bool, has_crlf: bool) -> str:
    if has_escapes:
        text = _ESCAPED.sub(lambda match: "\\" if match[1] == "\\" else "\r", text)
    return text.replace("\n", "\r\n") if has_crlf else text
