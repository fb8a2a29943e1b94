"""Streams as lines with the prefix `stdout> ` or `stderr> `, in the order of arrival."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attribute_reader import AttributeReader
from msgbook_format.syntax.attributes import Attributes
from msgbook_format.syntax.lines import STREAM_PREFIX
from msgbook_format.syntax.text_cell import TextCell

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
