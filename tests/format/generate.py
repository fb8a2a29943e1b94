"""Notebooks with all that they can hold, drawn from a `Random`. `generated_texts` has texts, and damage.

One generator serves the long run, which gives it a seeded `Random`, and hypothesis, which gives it
one whose draws it can replay and shrink. So it asks only for `choice`, `randint` and `random`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from random import Random
from typing import Any

from msgbook_format.outputs.output_history import digest_of
from msgbook_format.syntax.kernels import KERNELSPEC, LANGUAGE_INFO
from msgbook_format.turn import TURN_MIME
from msgbook_format.turn.output_cells.call_text import read_call_text

from .generated_texts import DERIVED, chance, characters, joined, line

_CALL_TEXTS = [
    "<read><path>a.py</path></read>", "<read path=\"a &amp; b\"/>", "<a/>", "{\"path\": 1}", "ls", "<a><b></a>",
    "<tool_call><name>a</name><arguments>{\"path\": \"a\"}</arguments></tool_call>",
    "<tool_call>\n<function=a>\n<parameter=b>\n<c>\n</parameter>\n</function>\n</tool_call>",
    "<tool_call>{\"name\": \"a\", \"arguments\": {}}</tool_call>", "<tool_call><arguments>{}</arguments></tool_call>",
]  # fmt: skip

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

Json = dict[str, Any]


def _optional(random: Random, **values: Callable[[Random], Any]) -> Json:
    """Some of the keys, so that most often there are few."""
    percent = random.choice([0, 15, 50])
    return {key: value(random) for key, value in values.items() if chance(random, percent)}


def _word(random: Random) -> str:
    return random.choice(_WORDS) if chance(random, 70) else characters(random, 6)


def _source(random: Random) -> str:
    if chance(random, 30):
        return random.choice(["", "hello", "%%python\nprint(1)", "%%python\n", "!ls", "%%bash\nls"])
    return "\n".join(line(random) for _ in range(random.randint(0, 5)))


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
        step=lambda r: r.randint(1, 3) if chance(r, 70) else _value(r),
        history=_word,
        time=_word,
        agent=_word,
        extra=_object,
        title=_word,
        attrs=_pairs,
        other=_value,
        **special,
    )
    if chance(random, 70):
        block.setdefault("step", random.randint(1, 3))
    if "xml" in block and chance(random, 70):
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
            "arguments": lambda r: "{}" if chance(r, 50) else _source(r),
        },
        {
            "nonce": lambda r: r.choice(_NONCES),
            "approval": _word,
            "unfinished": lambda r: r.choice([True, False]),
            "xml": lambda r: r.choice(_CALL_TEXTS) if chance(r, 70) else _source(r),
        },
    ),
    (
        "tool_result",
        {
            "id": lambda r: r.choice(_CALL_IDS),
            "content": lambda r: _source(r) if chance(r, 70) else _objects(r),
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
    return _source(random) if chance(random, 70) else _value(random)


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
        agent=lambda r: r.choice(agents) if chance(r, 80) else _value(r),
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
    metadata = _object(random) if chance(random, 30) else {}
    return {"output_type": "display_data", "data": {TURN_MIME: turn(random)}, "metadata": metadata}


def _datum(random: Random) -> Any:
    return random.choice([_source, _base64, lambda r: _base64(r) + "\n", _value])(random)


def _bundle(random: Random) -> Json:
    return {random.choice(_MIMES): _datum(random) for _ in range(random.randint(0, 3))}


def _count(random: Random) -> int | None:
    return random.choice([None, 0, 1, 12])


def _result(random: Random, data: Json) -> Json:
    if chance(random, 50):
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
    if chance(random, 20):
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
    if chance(random, 10):
        return _value(random)
    output = dict(random.choice(_OUTPUTS)(random))
    key = random.choice([*output, "data", "text", "metadata"])
    if chance(random, 30):
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
        if chance(random, 30):
            _mark(random, cell)
        if chance(random, 30):
            cell["metadata"]["execution"] = _execution(random)
    elif chance(random, 30):
        cell["attachments"] = {
            _word(random): {
                random.choice(_MIMES): _base64(random) if chance(random, 70) else _source(random)
                for _ in range(random.randint(0, 2))
            }
            for _ in range(random.randint(0, 2))
        }
    if chance(random, 3):
        del cell[random.choice(list(cell))]
    elif chance(random, 3):
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
        if isinstance(metadata, dict) and chance(random, 70):
            metadata["msgbook"] = _optional(random, history=_history, novel=_value)
        elif chance(random, 70):
            digest = digest_of(output) if chance(random, 80) else "0"
            marks[str(index)] = {"history": _history(random), "sha256": digest}
    if chance(random, 10):
        marks[random.choice(["7", "x", "00", ""])] = _value(random)
    value: Any = marks
    for _ in range(random.choice([0, 0, 0, 0, 0, 1, 2])):
        value = {"head": random.choice([value, _value(random)])}
        if chance(random, 50):
            value["marks"] = marks
    if value or chance(random, 10):
        ours = cell["metadata"].get("msgbook")
        cell["metadata"]["msgbook"] = {**(ours or {}), "output_history": value}


def _history(random: Random) -> Any:
    return random.choice(["none", "exclude", "include", "summary", "hide", "", False])


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
