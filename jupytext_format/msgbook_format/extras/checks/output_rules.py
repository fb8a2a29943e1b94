"""Rules about turns and outputs: calls and results, data, values of attributes, `history` among them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import get_args

from msgbook_format import jsontext
from msgbook_format.document.reader import reads
from msgbook_format.extras.checks import findings
from msgbook_format.extras.checks.checked_text import CheckedText, LocatedCell
from msgbook_format.finding import Finding, OutputFileRule
from msgbook_format.outputs.output_history import KEY, has_stale_marks
from msgbook_format.syntax.lines import is_base64
from msgbook_format.syntax.text_cell import is_history, parse_msg_line
from msgbook_format.turn.kinds import TOOL_CALLS
from msgbook_format.turn.model import ResultStatus, TurnStatus
from msgbook_format.turn.output_cells.blocks import cell_kind
from msgbook_format.turn.output_cells.call_text import is_understood, read_call_text
from msgbook_format.turn.output_cells.turn_attributes import COUNTS, read_count, read_seconds

_OBJECTS = ("usage", "context", "turn", "extra", "metadata", "output_metadata")
_BINARY = ("image/", "audio/", "video/", "font/", "application/pdf", "application/octet-stream")
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_SHOWN = 40
"""Characters of a value that a message quotes."""


def check_calls_and_results(checked: CheckedText) -> Iterator[Finding]:
    """Yield results without a call, and calls of finished turns without a result."""
    for cell in checked.cells:
        for turn in _turns([located for located in cell.below if located.role != "attachment"]):
            yield from _unanswered(turn)


def check_call_texts(checked: CheckedText) -> Iterator[Finding]:
    """Yield calls whose bodies cannot be understood as arguments."""
    for located in checked.text_cells:
        is_call = located.role == "block" and cell_kind(located.cell) is TOOL_CALLS
        if is_call and not is_understood(located.cell):
            named, called = located.value("name"), read_call_text(located.cell.body, None).name
            if named is None or called is None or called == named:
                yield findings.UNREADABLE_CALL.at(located.body_line)
            else:
                yield findings.CONTRADICTING_CALL.at(
                    located.body_line, called=called[:_SHOWN], named=named[:_SHOWN]
                )


def _turns(text_cells: list[LocatedCell]) -> Iterator[list[LocatedCell]]:
    """Yield the blocks of each turn (docs/format.md, section 5)."""
    turn: list[LocatedCell] = []
    agent: str | None = None
    for located in text_cells:
        is_marked = any(key == "turn" for key, _ in located.cell.attributes)
        other = located.agent is not None and agent not in (None, located.agent)
        if turn and (located.role != "block" or is_marked or other):
            yield turn
            turn = []
        if located.role == "block":
            agent = (agent or located.agent) if turn else (located.value("agent") or located.agent)
            turn.append(located)
    if turn:
        yield turn


def _unanswered(turn: list[LocatedCell]) -> Iterator[Finding]:
    labels: dict[str, str] = {}
    open_calls: dict[str, LocatedCell] = {}
    ids: set[str] = set()
    for located in turn:
        if located.cell.type != "tool":
            continue
        label = located.cell.label or ""
        if cell_kind(located.cell) is TOOL_CALLS:
            call = located.value("call") or f"call_{label.rpartition('.')[2]}"
            labels[label] = call
            ids.add(call)
            if ("unfinished", True) not in located.cell.attributes:
                open_calls[call] = located
            continue
        given = located.value("call")
        answered = given if given is not None else labels.get(label.rpartition(".")[0])
        if answered is None or answered not in ids:
            yield _no_call(located, given, bool(ids))
        open_calls.pop(answered or "", None)
    if (turn[0].value("turn_status") or "done") == "done":
        for located in open_calls.values():
            yield findings.CALL_WITHOUT_RESULT.at(located.line)


def _no_call(result: LocatedCell, given: str | None, has_calls: bool) -> Finding:
    """Return the finding about a result whose call, `given` by its id or else by a label, is not in its turn."""
    may_be_call = not has_calls and result.cell.body.startswith("<")
    if given is not None:
        row = findings.UNNAMED_CALL_OF_ID if may_be_call else findings.WRONG_CALL_ID
        return row.at(result.line, call=given[:_SHOWN])
    row = findings.WRONG_LABEL if has_calls else findings.NO_CALL
    prefix = (result.cell.label or "").rpartition(".")[0][:_SHOWN]
    return (findings.UNNAMED_CALL if may_be_call else row).at(result.line, label=prefix)


def check_values(checked: CheckedText) -> Iterator[Finding]:
    """Yield attributes whose values cannot be read, or are unknown."""
    for located in checked.text_cells:
        for key, value in located.cell.attributes:
            if not isinstance(value, str):
                continue
            wrong = _wrong_value(located, key, value)
            if wrong is not None:
                known = ", ".join(_known_statuses(located, key))
                yield wrong.at(located.footnote_line, key=key, found=value[:_SHOWN], known=known)


def _wrong_value(located: LocatedCell, key: str, value: str) -> findings.Row | None:
    """Return what is wrong with a value; None if nothing is."""
    if key in _OBJECTS and jsontext.load_object(value) is None:
        return findings.BAD_OBJECT
    if located.role not in ("block", "output"):
        return None
    if key == "time" and not _is_time(value):
        return findings.BAD_TIME
    if key in ("duration", "turn_duration") and read_seconds(value) is None:
        return findings.BAD_DURATION
    if key in COUNTS and located.role == "block" and read_count(value) is None:
        return findings.BAD_COUNT
    known = _known_statuses(located, key)
    return findings.BAD_STATUS if known and value not in known else None


def _known_statuses(located: LocatedCell, key: str) -> tuple[str, ...]:
    """Return the values that a status can have; empty for any other attribute."""
    if key == "turn_status" and located.role == "block":
        return get_args(TurnStatus)
    if key == "status" and (located.role == "output" or located.cell.type == "tool"):
        return get_args(ResultStatus)
    return ()


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" in text or " " in text


def check_data(checked: CheckedText) -> Iterator[Finding]:
    """Yield bodies that should be JSON or BASE64 and are not."""
    for located in checked.text_cells:
        encoding = located.value("encoding")
        if located.cell.type == "nb" or encoding == "json":
            yield from _wrong_json(located)
        elif encoding == "base64" or (encoding is None and _is_binary(located)):
            yield from _wrong_base64(located)


def _is_binary(located: LocatedCell) -> bool:
    mime = located.value("mime_type") or ""
    file = located.value("output_file") is not None and not located.cell.body
    below = located.role == "output" and not file
    return below and mime.startswith(_BINARY) and not mime.endswith(("+xml", "+json"))


def _wrong_json(located: LocatedCell) -> Iterator[Finding]:
    expected = "a JSON object" if located.cell.type == "nb" else "JSON"
    line = located.body_line
    try:
        value = jsontext.loads(located.cell.body)
    except json.JSONDecodeError as error:
        number = line + error.lineno - 1
        yield findings.BAD_JSON.at(number, expected=expected, column=error.colno, problem=error.msg)
        return
    except ValueError as error:
        yield findings.UNREADABLE_JSON.at(line, problem=error)
        return
    if located.cell.type == "nb" and not isinstance(value, dict):
        start = " ".join(located.cell.body[: 2 * _SHOWN].split())[:_SHOWN]
        yield findings.NO_OBJECT.at(line, found=start)


def _wrong_base64(located: LocatedCell) -> Iterator[Finding]:
    """Yield the first line that is not BASE64, or a finding that the data are cut short."""
    if not located.cell.body or is_base64("".join(located.cell.body.split())):
        return
    line = located.body_line
    lines = located.cell.body.split("\n")
    for number, text in enumerate(lines):
        if text.strip() and not _BASE64_LINE.fullmatch(text.strip()):
            yield findings.BAD_BASE64.at(line + number, found=text.strip()[:_SHOWN])
            return
    yield findings.CUT_BASE64.at(line + len(lines) - 1)


def check_output_files(checked: CheckedText, check_file: OutputFileRule) -> Iterator[Finding]:
    """Yield files with the data of outputs that cannot be used."""
    for located in checked.text_cells:
        name = located.value("output_file")
        if located.role in ("output", "block") and name is not None:
            problem = check_file(name, located.value("sha256"))
            if problem is not None:
                yield findings.OUTPUT_FILE.at(located.footnote_line, problem=problem)


# Rules about `history`: values that are unknown, and values that hide nothing or too much.


def check_history(checked: CheckedText) -> Iterator[Finding]:
    """Yield values of `history` that are unknown, or have no effect."""
    for located in checked.text_cells:
        history = located.value("history")
        if history is not None and not is_history(history):
            yield _unknown(located.footnote_line, history)
        elif history is not None and _is_useless(located):
            yield findings.USELESS_HISTORY.at(located.footnote_line)
        msg = parse_msg_line(located.cell.body) if located.role == "prompt" else None
        given = msg.attributes.get("history") if msg else None
        if given is not None and not is_history(given):
            yield _unknown(located.body_line, given)


def check_output_history(checked: CheckedText) -> Iterator[Finding]:
    """Yield cells whose outputs are not sent because their `output_history` is that of other outputs."""
    # Only then the notebook is needed, which takes as long as all rules together.
    if KEY not in checked.text:
        return
    cells = reads(checked.text)["cells"]
    for checked_cell, cell in zip(checked.cells, cells, strict=True):
        if has_stale_marks(cell):
            yield findings.STALE_OUTPUT_HISTORY.at(checked_cell.head.footnote_line)


def _unknown(line: int, history: str) -> Finding:
    shown = f"`{history[:_SHOWN]}`" if history.strip() else "nothing"
    return findings.BAD_HISTORY.at(line, found=shown)


def _is_useless(located: LocatedCell) -> bool:
    if located.role == "output":
        return located.value("output") == "none"
    return located.role in ("attachment", "raw")
