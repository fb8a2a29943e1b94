"""Texts full of lookalikes, and damage to texts, drawn from a `Random` as notebooks are in `generate`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from msgbook_format.cells.cell import derived_id

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

SOURCES = ["", "hello", "Hi"]
DERIVED = [derived_id(source, count) for source in SOURCES for count in (0, 1)]
_RANGES = [(0x20, 0x7E)] * 6 + [
    (0x00, 0x1F), (0x7F, 0xA0), (0xA1, 0x17F), (0x300, 0x30F), (0x2000, 0x206F), (0x4E00, 0x4E20),
    (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF0, 0xFFFF), (0x1F600, 0x1F64F),
]  # fmt: skip


def chance(random: Random, percent: int) -> bool:
    return random.random() * 100 < percent


def characters(random: Random, most: int) -> str:
    spans = [random.choice(_RANGES) for _ in range(random.randint(0, most))]
    return "".join(chr(random.randint(*span)) for span in spans)


def line(random: Random) -> str:
    return random.choice(LINES) if chance(random, 75) else characters(random, 8)


def joined(whole: str) -> str:
    """`whole` with its pairs of surrogates as one character each: neither JSON nor UTF-8 has them."""
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def text(random: Random) -> str:
    """A text of lines that look like structure, in an order that no writer has."""
    if chance(random, 15):
        return _labelled(random)
    openings = ["", "", "\n\n", "\ufeff", "---\na: 1\n---\n", "---\nmessage_section: true\n---\n"]
    ends = ["\n"] * 12 + ["\n\n"] * 8 + ["\r\n"]
    lines = [line(random) + random.choice(ends) for _ in range(random.randint(0, 24))]
    whole = random.choice(openings) + "".join(lines)
    whole = whole[: len(whole) - random.choice([0, 0, 0, 1, 5])]
    return joined(_crlf(whole) if chance(random, 20) else whole)


def _labelled(random: Random) -> str:
    """Cells of few sources, whose labels are ids that follow from one of them."""
    cells = []
    for _ in range(random.randint(0, 6)):
        label = random.choice(["", "", *DERIVED])
        gap = random.choice(["\n", "\n", ""])
        source = random.choice(SOURCES)
        head = f"# %% [^{label}]\n" if label else "# %%\n"
        footnote = f"{gap}[^{label}]: [markdown]\n" if label and chance(random, 50) else ""
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
        lines.insert(at, line(random))
    else:
        lines[at] += random.choice([" ", "\r", "\\", '"', "]", "[^a]"])
    return "\n".join(lines)


def _damage_characters(random: Random, whole: str) -> str:
    at = random.randint(0, len(whole))
    kind = random.randint(0, 3)
    if kind == 0:
        return whole[:at] + characters(random, 2) + whole[at:]
    if kind == 1:
        return whole[:at] + whole[at + 1 :]
    if kind == 2:
        return whole[:at] + random.choice('#%[]^":=\\`~-{}<>\r\n\t ') + whole[at + 1 :]
    return whole[:at] if chance(random, 50) else whole[at:]


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
