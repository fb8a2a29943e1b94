"""Notebooks and texts as broken programs, bad disks and hostile people make them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import nbformat

from msgbook_format import writes

_TURN = {
    "version": 1,
    "status": "done",
    "agent": "a",
    "blocks": [
        {"type": "text", "step": 1, "text": "x"},
        {"type": "tool_call", "step": 1, "id": "c", "name": "read", "arguments": "{}"},
        {"type": "tool_result", "step": 1, "id": "c", "status": "success", "content": "r"},
    ],
    "usage": {"input_tokens": 1},
    "context": {"cells": 0, "summaries": {}, "macros": {}},
}
_V4: dict[str, Any] = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {
        "kernelspec": {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"},
        "language_info": {"name": "msgbook"},
        "msgbook": {"frontmatter": "agents: {a: {models: x}}\n", "macros": {"a": "b"}},
    },
    "cells": [
        {
            "cell_type": "code",
            "id": "a",
            "source": ["hi\n", "there"],
            "metadata": {"msgbook": {"title": "T", "agent": "a", "text": {"x": "y"}}},
            "execution_count": 1,
            "outputs": [
                {
                    "output_type": "display_data",
                    "metadata": {},
                    "data": {
                        "application/vnd.msgbook.turn+json": _TURN,
                        "text/markdown": "x",
                        "text/plain": "x",
                    },
                }
            ],
        },
        {
            "cell_type": "markdown",
            "id": "b",
            "source": "![](attachment:a.png)",
            "metadata": {},
            "attachments": {"a.png": {"image/png": "AAAA"}},
        },
        {
            "cell_type": "code",
            "id": "c",
            "source": "%%python\n1",
            "metadata": {},
            "execution_count": 1,
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["a\n"]},
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {},
                    "data": {"text/plain": "1", "image/png": "AAAA"},
                },
                {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t"]},
            ],
        },
        {"cell_type": "raw", "id": "d", "source": "r", "metadata": {}},
        {
            "cell_type": "code",
            "id": "e",
            "source": "last",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
        },
    ],
}
_V3: dict[str, Any] = {
    "nbformat": 3,
    "nbformat_minor": 0,
    "metadata": {"name": "n"},
    "worksheets": [
        {
            "metadata": {},
            "cells": [
                {"cell_type": "heading", "level": 2, "source": ["h"], "metadata": {}},
                {
                    "cell_type": "code",
                    "input": ["1"],
                    "language": "python",
                    "collapsed": False,
                    "prompt_number": 1,
                    "metadata": {},
                    "outputs": [
                        {"output_type": "pyout", "prompt_number": 1, "text": ["1"], "png": "AAAA"},
                        {"output_type": "stream", "stream": "stdout", "text": "x"},
                        {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["t"]},
                    ],
                },
                {"cell_type": "html", "source": "m"},
            ],
        }
    ],
}
_V1 = {"nbformat": 1, "cells": [{"cell_type": "code", "code": "1"}, {"cell_type": "text"}]}
_NOTEBOOKS = (_V4, _V4, _V4, _V3, {**_V3, "nbformat": 2}, _V1)
_ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    4.5,
    10**400,
    float("inf"),
    10**9,
    "",
    "xxx",
    "\ud800",
    "\x1b]0;x\x07",
    [],
    {},
    [[]],
    [None],
    {"a": 1},
    [1, "a"],
    ["a", None],
    {"": {}},
)
_INSERTED = (
    b'\n# %% [^z]\n\n[^z]: [nb] encoding=json\n\n{"cell_type": "code", "source": "z", "outputs": 1.5}\n',
    (
        b'\n# %% [^y]\n\n[^y]: [nb] encoding=json\n\n{"cell_type": "code", "source": "y", "id": [], '
        b'"outputs": [null, "", {"output_type": []}]}\n\n# %% [^w]\n\n'
    ),
    b"\n# %% ",
    b"\n```\n",
    b"\n# %%% ",
    b"{",
    b'"',
    b"---\n",
    b"\0",
    b"\xef\xbb\xbf",
    b"\x1b",
)


def notebook(random: Random) -> bytes:
    """A notebook in JSON, of some nbformat, with odd values in some places."""
    data = json.dumps(_with_odd_values(random.choice(_NOTEBOOKS), random)).encode()
    return data[: random.randrange(len(data))] if random.random() < 0.05 else data


def text(random: Random) -> bytes:
    """A `.msg.md` file: of an odd notebook, or with odd bytes."""
    if random.random() < 0.6:
        odd = _with_odd_values(_V4, random)
        try:
            return writes(nbformat.from_dict(odd)).encode()
        except (AttributeError, LookupError, TypeError, ValueError):
            pass  # no notebook at all
    data = bytearray(writes(nbformat.from_dict(_V4)).encode())
    for _ in range(random.choice((1, 3, 10))):
        at = random.randrange(len(data))
        if random.random() < 0.5:
            data[at : at + random.randrange(20)] = bytes([random.randrange(256)])
        else:
            data[at:at] = random.choice(_INSERTED)
    return bytes(data)


def _with_odd_values(sound: Any, random: Random) -> Any:
    damaged = copy.deepcopy(sound)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        *way, last = random.choice([path for path in _paths(damaged) if path] or [(None,)])
        if last is None:
            break
        node = damaged
        for key in way:
            node = node[key]
        kind = random.random()
        if kind < 0.6:
            node[last] = copy.deepcopy(random.choice(_ODD))
        elif kind < 0.8:
            del node[last]
        elif isinstance(node, list):
            node.append(copy.deepcopy(node[last]))
        else:
            node[random.choice(("x", "text", "id", "msgbook"))] = copy.deepcopy(node[last])
    return damaged


def _paths(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield way
    items: Any = enumerate(value) if isinstance(value, list) else ()
    for key, found in value.items() if isinstance(value, dict) else items:
        yield from _paths(found, (*way, key))
