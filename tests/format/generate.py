"""Texts full of lookalikes, notebooks with all that they can hold, and damage, drawn from a `Random`.

One generator serves the long run, which gives it a seeded `Random`, and hypothesis, which gives it
one whose draws it can replay and shrink. So it asks only for `choice`, `randint` and `random`.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from msgbook_format.cells.cell import derived_id
from msgbook_format.outputs.output_history import digest_of
from msgbook_format.syntax.kernels import KERNELSPEC, LANGUAGE_INFO
from msgbook_format.turn import TURN_MIME
from msgbook_format.turn.output_cells.call_text import read_call_text

LINES = [
    "", "", " ", "\t", "text", "  indented  ", "\\", "\\\\", "\\ ", "# %%", "## %% title",
    "# %% [title][^a]", "# %%%", "##### %%% [^a-1]", "###### %%", "#%%", "# %%Title", "# %%%%",
    "\\# %%", "\\\\# %% x", "# %% t[^a]", "# %% [^b]", "# %%[^b]", "# %%%[^a-1]", "\\# %%[^c]", "# %%% [^a.1]", "# %%% [^a-1.5f3a90c2]",
    "# %%% call[^a-1.5f3a90c2.1]", "[^a]: [markdown]", "[^b]: [code] history=none",
    "[^a]: [markdown] cell=markdown role=\"system\"", "[^a]: [raw]", "[^a]: [nb] encoding=json",
    "[^a]: prose", "[^a]: k=\"v\" [reasoning=1] flag", "[^a]: [agent] id=\"zz\" time=\"1\"",
    "[^a-1]: [bot] reasoning=1 time=\"2025-05-30T00:00:00+08:00\"", "[^a-1]: [tool] name=\"x\"",
    "[^a-1.5f3a90c2]: [tool] name=\"read\"", "[^a-1.5f3a90c2.1]: [tool] status=\"error\"",
    "[^a.1]: [python] mime_type=\"image/png\"", "[^a.1]: [python] status=\"success\" n=3",
    "[^a-1]: [nb] block=1", "[^a-1]: [attachment] name=\"f\" mime_type=\"image/png\"",
    "[^a-1]: [python] output=error ename=\"E\" tb=1,2", "[^a-1]: [x] extra=\"[[[\" turn=\"{}\"",
    "[^a-1]: [x] output=execute_result result_n=2", "stdout> a", "stdout>", "stdout>b",
    "[^a.1]: [python] time=2026-11-22T21:00:00Z duration=0.5s", "[^a]: [code] metadata={\"execution\":{}}",
    "[^a.1]: [python] history=none", "[^a-1]: [code] mime_type=\"text/plain\" history=summary alt=1",
    "[^a]: [code] metadata={\"msgbook\":{\"output_history\":{\"0\":\"none\"}}}",
    "stderr> c", "\\stdout> x", "```", "````", "```python", "~~~", " ```ipython", "%%python",
    "!ls", "%model x", "%%msg agent=b", "%50 of", "aGVsbG8=", "{\"type\": \"x\"}", "{", "---",
    "jupyter:",
    "  msgbook: 5", "  msgbook: {text: {lead: x, cell: 5}}", "  kernelspec: {name: python3, display_name: P, language: python}",
    "  nbformat_minor: 4", "  x: *y", "message_section: true", "message_section: Log",
    "## Discussion", "# Log ##", "a: [", "# comment", "agents: {b: {}}", "x\ry", "end\r",
    "\x1b[31mred\x1b[0m", "\x00", "\u2028", "\x0c", "\x85", "\ufeff", "\ud800",
    "<tool_call><arguments>{}</arguments></tool_call>", "<other/>", "é中文",
    "<read><path>a.py</path></read>", "<invoke name=\"read\">", "<parameter name=\"path\">a</parameter>", "</invoke>",
    "[^a-1.5f3a90c2]: [tool]",
]  # fmt: skip

_CALL_TEXTS = [
    "<read><path>a.py</path></read>", "<read path=\"a &amp; b\"/>", "<a/>", "{\"path\": 1}", "ls", "<a><b></a>",
    "<tool_call><name>a</name><arguments>{\"path\": \"a\"}</arguments></tool_call>",
    "<tool_call>\n<function=a>\n<parameter=b>\n<c>\n</parameter>\n</function>\n</tool_call>",
    "<tool_call>{\"name\": \"a\", \"arguments\": {}}</tool_call>", "<tool_call><arguments>{}</arguments></tool_call>",
]  # fmt: skip

SOURCES = ["", "hello", "Hi"]
DERIVED = [derived_id(source, count) for source in SOURCES for count in (0, 1)]

_WORDS = ["a", "b", "x y", "", " ", "]", '"', "k=v", "é"]
_CALL_IDS = ["call_1", "call_2", "call_5f3a90c2", ""]
_NONCES = ["5f3a90c2", "00000000", "zz", "", 3]
_MIMES = [
    "text/plain", "text/html", "image/png", "image/svg+xml", "application/json", "text/markdown"
]  # fmt: skip
_FRONTMATTERS = ["a: 1\n", "# note\nagents:\n  b: {}\n", "", "x", "---\n"]
_SECTIONS = [
    {"frontmatter": "message_section: true\n", "document": "Intro\n\n## Discussion"},
    {"frontmatter": "message_section: 'A log'\n", "document": "```\n# A log\n```\n# A log ##"},
]
_KERNELS: list[dict[str, Any]] = [
    {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO},
    {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO},
    {"kernelspec": {**KERNELSPEC, "display_name": "My chat"}, "language_info": LANGUAGE_INFO},
    {"kernelspec": {"name": "msgbook"}, "language_info": LANGUAGE_INFO},
    {"kernelspec": {"name": "python3", "display_name": "P", "language": "python"}},
    {"kernelspec": {"name": "ir", "language": "R"}, "language_info": {"name": "R", "version": "4"}},
    {},
]
_CELL_IDS = ["a", "b", "preamble", "p-1", "3f2a9c1b-8d4e-4f6a-9b1c-2d3e4f5a6b7c", *DERIVED]
_RANGES = [(0x20, 0x7E)] * 6 + [
    (0x00, 0x1F), (0x7F, 0xA0), (0xA1, 0x17F), (0x300, 0x30F), (0x2000, 0x206F), (0x4E00, 0x4E20),
    (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF0, 0xFFFF), (0x1F600, 0x1F64F),
]  # fmt: skip

Json = dict[str, Any]


def _chance(random: Random, percent: int) -> bool:
    return random.random() * 100 < percent


def _characters(random: Random, most: int) -> str:
    spans = [random.choice(_RANGES) for _ in range(random.randint(0, most))]
    return "".join(chr(random.randint(*span)) for span in spans)


def _line(random: Random) -> str:
    return random.choice(LINES) if _chance(random, 75) else _characters(random, 8)


def _optional(random: Random, **values: Callable[[Random], Any]) -> Json:
    """Some of the keys, so that most often there are few."""
    percent = random.choice([0, 15, 50])
    return {key: value(random) for key, value in values.items() if _chance(random, percent)}


def _word(random: Random) -> str:
    return random.choice(_WORDS) if _chance(random, 70) else _characters(random, 6)


def _source(random: Random) -> str:
    if _chance(random, 30):
        return random.choice(["", "hello", "%%python\nprint(1)", "%%python\n", "!ls", "%%bash\nls"])
    return "\n".join(_line(random) for _ in range(random.randint(0, 5)))


def _number(random: Random) -> Any:
    return random.choice([0, 1, -9, 7**9, 0.5, 1.0, 1e22, -0.0, 1e-7, 10**15])


def _value(random: Random, depth: int = 2) -> Any:
    kind = random.randint(0, 6 if depth else 4)
    if kind >= 5:
        return _list(random, depth) if kind == 5 else _object(random, depth)
    if kind >= 3:
        return _word(random)
    return _number(random) if kind == 2 else random.choice([None, True, False])


def _list(random: Random, depth: int = 2) -> list[Any]:
    return [_value(random, depth - 1) for _ in range(random.randint(0, 2))]


def _object(random: Random, depth: int = 2) -> Json:
    return {_word(random): _value(random, depth - 1) for _ in range(random.randint(0, 2))}


def _objects(random: Random) -> list[Json]:
    return [_object(random) for _ in range(random.randint(0, 2))]


def _pairs(random: Random) -> list[list[Any]]:
    return [
        [_word(random), random.choice([True, _word(random)])] for _ in range(random.randint(0, 2))
    ]


def _seconds(random: Random) -> Any:
    return random.choice([0, 3, 0.5, 1.0, 8.125])


def _base64(random: Random) -> str:
    length = random.choice([1, 2, 3, 57, 90])
    return base64.b64encode(bytes(random.randint(0, 255) for _ in range(length))).decode()


def _block(random: Random) -> Json:
    kind, required, special = random.choice(_BLOCKS)
    block = {"type": kind}
    block |= {key: value(random) for key, value in required.items()}
    block |= _optional(
        random,
        step=lambda r: r.randint(1, 3) if _chance(r, 70) else _value(r),
        history=_word,
        time=_word,
        agent=_word,
        extra=_object,
        title=_word,
        attrs=_pairs,
        other=_value,
        **special,
    )
    if _chance(random, 70):
        block.setdefault("step", random.randint(1, 3))
    if "xml" in block and _chance(random, 70):
        block["arguments"] = read_call_text(block["xml"], block["name"]).arguments or block["xml"]
    return block


_BLOCKS: list[tuple[str, dict[str, Callable[[Random], Any]], dict[str, Callable[[Random], Any]]]]
_BLOCKS = [
    ("text", {"text": _source}, {"refusal": lambda r: True}),
    ("reasoning", {"text": _source}, {"duration": _seconds}),
    (
        "tool_call",
        {
            "id": lambda r: r.choice(_CALL_IDS),
            "name": _word,
            "arguments": lambda r: "{}" if _chance(r, 50) else _source(r),
        },
        {
            "nonce": lambda r: r.choice(_NONCES),
            "approval": _word,
            "unfinished": lambda r: r.choice([True, False]),
            "xml": lambda r: r.choice(_CALL_TEXTS) if _chance(r, 70) else _source(r),
        },
    ),
    (
        "tool_result",
        {
            "id": lambda r: r.choice(_CALL_IDS),
            "content": lambda r: _source(r) if _chance(r, 70) else _objects(r),
        },
        {"status": _word, "duration": _seconds},
    ),
    ("notice", {"text": _source}, {"level": _word}),
    ("error", {"message": _source}, {"name": _word}),
    ("novel", {"value": _value}, {}),
    ("text", {}, {}),
    ("tool_call", {"arguments": _value}, {}),
]


def _usage(random: Random) -> Any:
    keys = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "untold_steps")
    return _object(random) | _optional(random, **dict.fromkeys(keys, _count))


def _context(random: Random) -> Any:
    parts = _optional(random, source=_text_or_value, cells=_count, request_hash=_text_or_value)
    return _object(random) | parts


def _count(random: Random) -> Any:
    odd = [-1, 1.0, True, None, "12", 10**15, 10**30, 1e300]
    return random.choice([0, 12, 10**15 - 1, random.choice(odd), _value(random)])


def _text_or_value(random: Random) -> Any:
    return _source(random) if _chance(random, 70) else _value(random)


def turn(random: Random) -> Json:
    """A turn as it is saved; some are of newer versions, or hold what none should."""
    saved = {
        "version": random.choice([1, 1, 1, 2]),
        "status": random.choice(["done", "done", "running", "error", _value(random)]),
        "blocks": [_block(random) for _ in range(random.randint(0, 5))],
    }
    agents = ["assistant", "reviewer", "tool", "we]ird"]
    saved |= _optional(
        random,
        agent=lambda r: r.choice(agents) if _chance(r, 80) else _value(r),
        model=_word,
        provider=_word,
        started=_word,
        duration=_seconds,
        finish_reason=_word,
        usage=_usage,
        context=_context,
        novel=_value,
    )
    return saved


def turn_output(random: Random) -> Json:
    metadata = _object(random) if _chance(random, 30) else {}
    return {"output_type": "display_data", "data": {TURN_MIME: turn(random)}, "metadata": metadata}


def _datum(random: Random) -> Any:
    return random.choice([_source, _base64, lambda r: _base64(r) + "\n", _value])(random)


def _bundle(random: Random) -> Json:
    return {random.choice(_MIMES): _datum(random) for _ in range(random.randint(0, 3))}


def _count(random: Random) -> int | None:
    return random.choice([None, 0, 1, 12])


def _result(random: Random, data: Json) -> Json:
    if _chance(random, 50):
        return {"output_type": "display_data", "data": data, "metadata": _object(random)}
    return {
        "output_type": "execute_result",
        "data": data,
        "metadata": _object(random),
        "execution_count": _count(random),
    }


def _stream(random: Random) -> Json:
    text = _source(random) + random.choice(["\n", "\n", ""])
    text = random.choice(["{}", "{}", "{}\r", "1%\r{}", "a\\r\r\n{}"]).format(text)
    if _chance(random, 20):
        text = text.replace("\n", "\r\n")
    name = random.choice(["stdout", "stdout", "stderr", "stderr", "x"])
    return {"output_type": "stream", "name": name, "text": text}


def _error(random: Random) -> Json:
    traceback = [_source(random) for _ in range(random.randint(0, 3))]
    return {
        "output_type": "error",
        "ename": _word(random),
        "evalue": _word(random),
        "traceback": traceback,
    }


def _odd_output(random: Random) -> Any:
    """What no output should be: a key is missing, of another type, or it is no object at all."""
    if _chance(random, 10):
        return _value(random)
    output = dict(random.choice(_OUTPUTS)(random))
    key = random.choice([*output, "data", "text", "metadata"])
    if _chance(random, 30):
        output.pop(key, None)
    elif key in ("data", "metadata") and isinstance(output.get(key), dict) and output[key]:
        output[key] = {**output[key], random.choice(list(output[key])): _value(random)}
    else:
        output[key] = _value(random)
    return output


_OUTPUTS: list[Callable[[Random], Json]] = [
    turn_output,
    turn_output,
    _stream,
    _stream,
    lambda r: _result(r, _bundle(r)),
    lambda r: _result(r, {**_bundle(r), TURN_MIME: turn(r)}),
    _error,
    lambda r: {"output_type": "novel", **_object(r)},
]


def _metadata(random: Random) -> Json:
    choice = random.randint(0, 3)
    if choice < 2:
        return {}
    if choice == 2:
        return _without(_object(random), "trusted", "msgbook")
    ours = _optional(
        random,
        history=_word,
        agent=_word,
        model=_word,
        role=_word,
        title=_word,
        type=lambda r: r.choice(["review", "code", "nb", "x]"]),
        lang=lambda r: r.choice(["py", "bash", "", "a b", "`"]),
        before=_source,
        after=_source,
        summary=lambda r: r.choice([_object(r), {"text": "t", "source": "sha256:0"}]),
        attrs=_pairs,
        novel=_value,
    )
    return {"msgbook": ours}


def _without(mapping: Json, *keys: str) -> Json:
    return {key: value for key, value in mapping.items() if key not in keys}


def _cell(random: Random) -> Json:
    kind = random.choice(["code", "code", "code", "markdown", "raw"])
    cell: Json = {"cell_type": kind, "source": _source(random), "metadata": _metadata(random)}
    if kind == "code":
        kinds = [*_OUTPUTS, _odd_output]
        outputs = [random.choice(kinds)(random) for _ in range(random.randint(0, 3))]
        cell |= {"outputs": outputs, "execution_count": _count(random)}
        if _chance(random, 30):
            _mark(random, cell)
        if _chance(random, 30):
            cell["metadata"]["execution"] = _execution(random)
    elif _chance(random, 30):
        cell["attachments"] = {
            _word(random): {
                random.choice(_MIMES): _base64(random) if _chance(random, 70) else _source(random)
                for _ in range(random.randint(0, 2))
            }
            for _ in range(random.randint(0, 2))
        }
    if _chance(random, 3):
        del cell[random.choice(list(cell))]
    elif _chance(random, 3):
        cell["novel"] = _value(random)
    return cell


_INPUT, _REPLY = "iopub.execute_input", "shell.execute_reply"
_TIMES = [
    "2026-11-22T21:00:00.123456Z", "2026-11-22T21:00:01Z", "2026-11-22T21:00:01.5Z", "noon", 5,
    "2025-05-30T00:00:00+08:00", "2025-05-30T00:00:00.50+08:00", "9999-12-31T23:59:59Z",
    "2026-11-22T21:00:01.5+00:00", "2026-13-22T21:00:00Z", "0001-01-01T00:00:00+08:00",
]  # fmt: skip


def _execution(random: Random) -> Any:
    times: Any = {_INPUT: random.choice(_TIMES), _REPLY: random.choice(_TIMES)}
    change = random.randint(0, 5)
    if change == 0:
        times["iopub.status.idle"] = random.choice(_TIMES)
    elif change == 1:
        del times[random.choice(list(times))]
    elif change == 2:
        times = _value(random)
    return times


def _mark(random: Random, cell: Json) -> None:
    """Give outputs a history: current marks, marks for other outputs, and anything else."""
    marks: Json = {}
    for index, output in enumerate(cell["outputs"]):
        metadata = output.get("metadata") if isinstance(output, dict) else None
        if isinstance(metadata, dict) and _chance(random, 70):
            metadata["msgbook"] = _optional(random, history=_history, novel=_value)
        elif _chance(random, 70):
            digest = digest_of(output) if _chance(random, 80) else "0"
            marks[str(index)] = {"history": _history(random), "sha256": digest}
    if _chance(random, 10):
        marks[random.choice(["7", "x", "00", ""])] = _value(random)
    value: Any = marks
    for _ in range(random.choice([0, 0, 0, 0, 0, 1, 2])):
        value = {"head": random.choice([value, _value(random)])}
        if _chance(random, 50):
            value["marks"] = marks
    if value or _chance(random, 10):
        ours = cell["metadata"].get("msgbook")
        cell["metadata"]["msgbook"] = {**(ours or {}), "output_history": value}


def _history(random: Random) -> Any:
    return random.choice(["none", "exclude", "include", "summary", "hide", "", False])


def joined(whole: str) -> str:
    """`whole` with its pairs of surrogates as one character each: neither JSON nor UTF-8 has them."""
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def notebook(random: Random) -> Json:
    """A notebook with ids that are its own, and no empty cell at the end."""
    minor = random.choice([5, 5, 5, 4])
    cells = [_cell(random) for _ in range(random.randint(0, 4))]
    ids = dict.fromkeys(random.choice(_CELL_IDS) for _ in cells)
    ids |= dict.fromkeys(f"id-{n}" for n in range(len(cells)))
    for cell, cell_id in zip(cells, ids, strict=False):
        cell.setdefault("cell_type", "novel")
        cell.setdefault("metadata", {})
        if minor == 5:
            cell["id"] = cell_id
    if cells and cells[-1]["cell_type"] == "code" and not cells[-1].get("source"):
        cells[-1]["source"] = "not the blank cell at the end"
    own = random.choice(
        [
            {},
            _optional(random, frontmatter=lambda r: r.choice(_FRONTMATTERS), macros=_object),
            random.choice(_SECTIONS),
            {"document": "no section names it"},
        ]
    )
    other = _without(_object(random), "kernelspec", "language_info", "jupytext", "msgbook")
    metadata = {**other, **random.choice(_KERNELS), **({"msgbook": own} if own else {})}
    nb = {"nbformat": 4, "nbformat_minor": minor, "metadata": metadata, "cells": cells}
    return json.loads(joined(json.dumps(nb, ensure_ascii=False)))


def text(random: Random) -> str:
    """A text of lines that look like structure, in an order that no writer has."""
    if _chance(random, 15):
        return _labelled(random)
    openings = ["", "", "\n\n", "\ufeff", "---\na: 1\n---\n", "---\nmessage_section: true\n---\n"]
    ends = ["\n"] * 12 + ["\n\n"] * 8 + ["\r\n"]
    lines = [_line(random) + random.choice(ends) for _ in range(random.randint(0, 24))]
    whole = random.choice(openings) + "".join(lines)
    whole = whole[: len(whole) - random.choice([0, 0, 0, 1, 5])]
    return joined(_crlf(whole) if _chance(random, 20) else whole)


def _labelled(random: Random) -> str:
    """Cells of few sources, whose labels are ids that follow from one of them."""
    cells = []
    for _ in range(random.randint(0, 6)):
        label = random.choice(["", "", *DERIVED])
        gap = random.choice(["\n", "\n", ""])
        source = random.choice(SOURCES)
        head = f"# %% [^{label}]\n" if label else "# %%\n"
        footnote = f"{gap}[^{label}]: [markdown]\n" if label and _chance(random, 50) else ""
        cells.append(head + footnote + (f"\n{source}\n" if source else ""))
    return "\n".join(cells)


def _crlf(whole: str) -> str:
    return whole.replace("\r\n", "\n").replace("\n", "\r\n")


def _cut_base64(random: Random, whole: str) -> str:
    runs = list(re.finditer(r"[A-Za-z0-9+/=]{8,}", whole))
    if not runs:
        return whole
    run = random.choice(runs)
    at = random.randint(*run.span())
    return whole[:at] + whole[random.choice([at + 1, run.end()]) :]


def _damage_lines(random: Random, whole: str) -> str:
    lines = whole.split("\n")
    at, other = random.randint(0, len(lines) - 1), random.randint(0, len(lines) - 1)
    kind = random.randint(0, 4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(other, lines[at])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines.insert(at, _line(random))
    else:
        lines[at] += random.choice([" ", "\r", "\\", '"', "]", "[^a]"])
    return "\n".join(lines)


def _damage_characters(random: Random, whole: str) -> str:
    at = random.randint(0, len(whole))
    kind = random.randint(0, 3)
    if kind == 0:
        return whole[:at] + _characters(random, 2) + whole[at:]
    if kind == 1:
        return whole[:at] + whole[at + 1 :]
    if kind == 2:
        return whole[:at] + random.choice('#%[]^":=\\`~-{}<>\r\n\t ') + whole[at + 1 :]
    return whole[:at] if _chance(random, 50) else whole[at:]


def _damage_ends(random: Random, whole: str) -> str:
    kind = random.randint(0, 3)
    if kind == 0:
        return _crlf(whole)
    if kind == 1:
        return whole.replace("\n", "\r")
    if kind == 2:
        return "\ufeff" + whole
    at = random.randint(0, len(whole))
    return _crlf(whole[:at]) + whole[at:]


def damage(random: Random, whole: str, others: Sequence[str]) -> str:
    """`whole` after some accidents, one of which may splice it with one of `others`."""
    for _ in range(random.randint(1, 6)):
        kind = random.randint(0, 9)
        if kind < 5:
            whole = _damage_lines(random, whole)
        elif kind < 7:
            whole = _damage_characters(random, whole)
        elif kind == 7:
            whole = _damage_ends(random, whole)
        elif kind == 8:
            whole = _cut_base64(random, whole)
        else:
            other = random.choice(others)
            at, there = random.randint(0, len(whole)), random.randint(0, len(other))
            whole = whole[:at] + other[there:]
    return joined(whole)
