"""Conversations, and the many ways in which the grammar of seed 004 lets them be written.

`conversations` draws what is said; each is written in one of its spellings: levels, titles, labels,
places and spacing of footnotes, quotes, brackets and order of attributes, fences, line ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from history_cells import answers, calls, code, prompt, says
from hypothesis import strategies as st

HIDDEN = ("none", "exclude", "0", "false")
SHOWN = ("include", "1", "true")
CALLS = (
    (True, '<invoke name="read"><parameter name="path">PATH</parameter></invoke>'),
    (True, "<tool_call>\n<function=read>\n<parameter=path>\nPATH\n</parameter>\n</function>\n</tool_call>"),
    (True, '<tool_call>{"name": "read", "arguments": {"path": "PATH"}}</tool_call>'),
    (True, "<tool_call><name>read</name><arguments><path>PATH</path></arguments></tool_call>"),
    (False, '<tool_call><arguments>{"path": "PATH"}</arguments></tool_call>'),
    (False, "<read><path>PATH</path></read>"), (False, '<read path="PATH"/>'),
    (False, '<parameter name="path">PATH</parameter>'), (False, '```xml\n<path>PATH</path>\n```'),
)  # fmt: skip
"""Whether the body of a call names its tool, and the body."""

TIME = "2025-05-30T00:00:00+08:00"

Draw = Callable[[st.SearchStrategy[Any]], Any]
Attributes = list[tuple[str, str]]

_words = (
    st.lists(
        st.sampled_from(["a", "Wörter", "问题", "`x`", "1.", "- b", "<p>", "*c*", "\n", "\n\n"])
    )
    .map(" ".join)
    .map(lambda text: "\n".join(line.strip() for line in text.split("\n")).strip())
    .filter(bool)
)
_histories = st.one_of(st.none(), st.sampled_from(HIDDEN + SHOWN))


@dataclass
class Written:
    """A conversation: its text, and the cells that it has to be read as."""

    cells: list[dict[str, Any]] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)
    """Footnotes that are gathered at the end."""
    line_end: str = "\n"
    heading: str = ""
    """Lines above the footnotes at the end."""

    @property
    def text(self) -> str:
        end = self.heading + "\n".join(self.footnotes) + "\n" if self.footnotes else ""
        return ("".join(self.pieces) + end).replace("\n", self.line_end)


@st.composite
def conversations(draw: Draw, gathered: bool = False) -> Written:
    """Return a conversation in one spelling.

    Args:
        gathered: Footnotes may be gathered at the end.
    """
    written = Written(line_end=draw(st.sampled_from(["\n", "\r\n"])))
    at_end = gathered and draw(st.booleans())
    if at_end:
        written.heading = draw(
            st.sampled_from(["", "<!-- Footnotes -->\n", "<!-- Footnotes -->\n\n"])
        )
    for number in range(1, 1 + draw(st.integers(1, 4))):
        label = draw(st.sampled_from([f"{number}", f"q{number}", f"问{number}", f"a.b-{number}"]))
        author = _Author(draw, written, label, at_end)
        author.code() if draw(st.booleans()) else author.prompt()
    return written


@dataclass
class _Author:
    """Writes one cell and what is below it."""

    draw: Draw
    written: Written
    label: str
    at_end: bool

    def prompt(self) -> None:
        words, history = self.draw(_words), self.draw(_histories)
        self._head("%%", self.label, "markdown", [("topic", "a b"), *_history(history)], words)
        blocks = list(self._answer())
        metadata = {"history": history} if history else {}
        self.written.cells.append(prompt(words, *blocks, **metadata))

    def _answer(self) -> Iterable[dict[str, Any]]:
        said = 0
        for step in range(1, 1 + self.draw(st.integers(0, 2))):
            calling = self.draw(st.integers(0, 2))
            for kind in self.draw(st.lists(st.sampled_from(["reasoning", "text"]), max_size=2)):
                said += 1
                yield self._said(f"{self.label}-{said}", kind, step)
            nonces = [f"{step}{n}f3a90c{self.draw(st.integers(0, 9))}" for n in range(calling)]
            for nonce in nonces:
                yield self._call(f"{self.label}-{said}.{nonce}", nonce, step)
            for nonce in nonces:
                yield self._result(f"{self.label}-{said}.{nonce}.1", nonce, step)
            if not calling:
                break

    def _said(self, label: str, kind: str, step: int) -> dict[str, Any]:
        words, history = self.draw(_words), self.draw(_histories)
        reasoning = [("reasoning", "1")] if kind == "reasoning" else []
        attributes = [("time", TIME), *reasoning, *_history(history)]
        self._head("%%%", label, "assistant", attributes, words)
        return {**says(words, step), "type": kind, **({"history": history} if history else {})}

    def _call(self, label: str, nonce: str, step: int) -> dict[str, Any]:
        path = self.draw(st.sampled_from(["a.py", "b c.txt"]))
        named, body = self.draw(st.sampled_from(CALLS))
        attributes = [] if named and self.draw(st.booleans()) else [("name", "read")]
        self._head("%%%", label, "tool", attributes, body.replace("PATH", path))
        return calls(f"call_{nonce}", step, arguments=json.dumps({"path": path}))

    def _result(self, label: str, nonce: str, step: int) -> dict[str, Any]:
        words = self.draw(_words)
        self._head("%%%", label, "tool", [("status", "success"), ("duration", "0.5s")], words)
        return answers(f"call_{nonce}", words, step)

    def code(self) -> None:
        before, after = (self.draw(st.one_of(st.just(""), _words)) for _ in range(2))
        language = self.draw(st.sampled_from(["python", "py", ""]))
        fence = self.draw(st.sampled_from(["```", "````", "~~~"]))
        lines = "\n".join(
            self.draw(st.lists(st.sampled_from(["x = 1", "print(x)", ""]), max_size=3))
        )
        body = f"{fence}{language}\n{lines + chr(10) if lines else ''}{fence}"
        body = "\n\n".join(filter(None, (before, body, after)))
        history = self.draw(_histories)
        self._head("%%", self.label, "code", _history(history), body)
        cell = code(f"%%python\n{lines}", *self._outputs())
        cell["metadata"] = {"msgbook": {"history": history}} if history else {}
        self.written.cells.append(cell)

    def _outputs(self) -> Iterable[dict[str, Any]]:
        streams = self.draw(
            st.lists(st.sampled_from(["stdout", "stderr"]), max_size=2, unique=True)
        )
        if streams:
            lines = [f"{name}> {word}" for name in streams for word in ("one", "two")]
            attributes = [("time", TIME), ("status", "success"), ("mime_type", "text/plain")]
            self._head("%%%", f"{self.label}.3", "python", attributes, "\n".join(lines))
        for name in streams:
            yield {"output_type": "stream", "name": name, "text": "one\ntwo\n"}

    def _head(self, sign: str, label: str, kind: str, given: Attributes, body: str) -> None:
        """Write a marker, its footnote and a body."""
        draw = self.draw
        level = "#" * draw(st.integers(1, 5))
        title = draw(st.sampled_from(["", "", " A title", " [标题]", " [A title] "]))
        space = draw(st.sampled_from(["", " "])) if not title.endswith(" ") else ""
        footnote = f"[^{label}]:{draw(st.sampled_from(['', ' ', '  ']))}[{kind}]"
        for key, value in draw(st.permutations(given)):
            footnote += draw(st.sampled_from([" ", "  ", "\t"])) + self._attribute(key, value)
        gaps = [draw(st.sampled_from(["\n", "\n\n", "\n\n\n"])) for _ in range(3)]
        if self.at_end:
            self.written.footnotes.append(footnote)
            footnote = gaps[1] = ""
        self.written.pieces.append(
            f"{level} {sign}{title}{space}[^{label}]{gaps[0]}{footnote}{gaps[1]}{body}{gaps[2]}"
        )

    def _attribute(self, key: str, value: str) -> str:
        spellings = [f'{key}="{value}"']
        if " " not in value:
            spellings += [f"{key}={value}", f"[{key}={value}]"]
        chosen: str = self.draw(st.sampled_from(spellings))
        return chosen


def _history(value: str | None) -> Attributes:
    return [("history", value)] if value else []
