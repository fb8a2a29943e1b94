"""The times of a run: `metadata.execution` of a cell, as `time`, `status` and `duration` of its first output.

JupyterLab and nbclient write the times of the messages of a run there. If these are only the start and
the end, the attributes hold all of it. Otherwise the head of the cell has it as JSON, and the attributes
follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgbook_format.syntax.attributes import AttributeReader, Attributes
from msgbook_format.syntax.text_cell import TextCell
from msgbook_format.typed import as_dict

KEY = "execution"
_START, _END = "iopub.execute_input", "shell.execute_reply"
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,6}))?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_DURATION = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,6}))?s")

Times = dict[str, str]


def read_times(output_cell: TextCell) -> Times | None:
    """Return the `metadata.execution` for the attributes of a first output; None without both times."""
    attributes = AttributeReader(output_cell.attributes)
    time, duration = attributes.take("time"), attributes.take("duration")
    return None if time is None or duration is None else _times(time, duration)


def write_times(execution: Any, outputs: Sequence[Any], first: TextCell) -> None:
    """Put `time`, `status` and `duration` in front of the attributes of a first output, in place."""
    duration = _duration(execution)
    if duration is None:
        return
    failed = any(as_dict(output).get("output_type") == "error" for output in outputs)
    attributes: Attributes = [("time", execution[_START])]
    if all(key != "status" for key, _ in first.attributes):
        attributes.append(("status", "error" if failed else "success"))
    first.attributes[:0] = [*attributes, ("duration", duration)]


def has_own_times(cell: dict[str, Any]) -> bool:
    """Return whether the first output of a `[code]` cell holds all of `metadata.execution`."""
    execution = cell["metadata"].get(KEY)
    if not cell.get("outputs") and cell.get("execution_count") is None:
        return False
    duration = _duration(execution)
    return duration is not None and _times(execution[_START], duration) == execution


def _times(time: str, duration: str) -> Times | None:
    """Return the start and the end, in the spelling of the start; None for any other texts."""
    start, seconds = _TIME.fullmatch(time), _DURATION.fullmatch(duration)
    if start is None or seconds is None:
        return None
    try:
        end = datetime.fromisoformat(start[1]) + timedelta(
            seconds=int(seconds[1]),
            microseconds=_microseconds(start[2]) + _microseconds(seconds[2]),
        )
    except (ValueError, OverflowError):
        return None
    digits = max(len(start[2] or ""), len(seconds[2] or ""))
    fraction = f".{end.microsecond:06d}"[: digits + 1] if digits else ""
    return {_START: time, _END: end.isoformat(timespec="seconds") + fraction + start[3]}


def _duration(execution: Any) -> str | None:
    """Return the time from start to end, exact to the microsecond; None if one of them is missing."""
    if not isinstance(execution, dict):
        return None
    start, end = execution.get(_START), execution.get(_END)
    if not isinstance(start, str) or not isinstance(end, str):
        return None
    if not _TIME.fullmatch(start) or not _TIME.fullmatch(end):
        return None
    try:
        taken = datetime.fromisoformat(end) - datetime.fromisoformat(start)
        microseconds = taken // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return None
    if microseconds < 0:
        return None
    seconds, rest = divmod(microseconds, 10**6)
    return f"{seconds}.{rest:06d}".rstrip("0").rstrip(".") + "s"


def _microseconds(fraction: str | None) -> int:
    return int((fraction or "").ljust(6, "0"))
