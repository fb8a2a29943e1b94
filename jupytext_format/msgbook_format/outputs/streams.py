"""Streams as lines with the prefix `stdout> ` or `stderr> `, in the order of arrival."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.lines import STREAM_PREFIX

_FIELDS = {"output_type", "name", "text"}


def is_stream(output: dict[str, Any]) -> bool:
    """Return whether an output can be written as prefixed lines."""
    text = output.get("text")
    return (
        output.get("output_type") == "stream"
        and output.keys() == _FIELDS
        and output["name"] in ("stdout", "stderr")
        and isinstance(text, str)
        and text != ""
        and not jsontext.needs_json(text)
    )


def count_joined(
    outputs: Sequence[dict[str, Any]], start: int, histories: Sequence[str | None]
) -> int:
    """Return how many streams from `start` on fit in one body: as long as the name changes.

    Args:
        histories: `history` value of each output; those in one body have the same one.
    """
    count = 1
    while start + count < len(outputs):
        last, following = outputs[start + count - 1], outputs[start + count]
        if not is_stream(following) or following["name"] == last["name"]:
            break
        if histories[start + count] != histories[start]:
            break
        if not last["text"].endswith("\n"):
            break
        count += 1
    return count


def write_streams(outputs: Sequence[dict[str, Any]]) -> str:
    """Return the body for streams whose names alternate; all but the last end with a newline."""
    lines = []
    for output in outputs:
        prefix = f"{output['name']}>"
        text = output["text"].removesuffix("\n")
        lines += [f"{prefix} {line}" if line else prefix for line in text.split("\n")]
    return "\n".join(lines)


def read_streams(body: str, ends_with_newline: bool) -> list[dict[str, Any]]:
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
    if not ends_with_newline and outputs and outputs[-1]["output_type"] == "stream":
        outputs[-1]["text"] = outputs[-1]["text"][:-1]
    return [output for output in outputs if output.get("text") != ""]


def _output(name: str, lines: list[str]) -> dict[str, Any]:
    if name:
        return {"output_type": "stream", "name": name, "text": "\n".join(lines) + "\n"}
    text = "\n".join(lines).strip("\n")
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}
