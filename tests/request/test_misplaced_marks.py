"""No hidden text is sent because its mark was misplaced: its cell waits until it is mended, and `check` names it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from misplaced_marks import ACCIDENTS, HIDDEN, LABELS, marks

from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.notebook import Transcript
from msgbook_format import check, reads, writes


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Conversation:
    return Conversation(
        Services(load_settings({"MSGBOOK_MODEL": "demo"})), tmp_path_factory.mktemp("notebook")
    )


def sent(engine: Conversation, text: str) -> set[str]:
    """Return the labels of the hidden texts that the request of a prompt at the end contains."""
    notebook = reads(text)
    above = Transcript("file", list(notebook.cells), metadata=notebook.metadata)
    preview = asyncio.run(engine.preview("And now?", above))
    words = json.dumps(preview.body.messages, ensure_ascii=False)
    return {label for label in LABELS if re.search(rf"CANARY-{re.escape(label)}\b(?!\.\w)", words)}


def named(text: str) -> set[str]:
    """Return the labels in whose footnotes, markers or results `check` finds something.

    A footnote that lost its label is below its marker.
    """
    lines = re.split(r"\r\n|\n", text.casefold())
    found: set[str] = set()
    for finding in check(text):
        above = [line for line in lines[: finding.line - 1] if line.strip()]
        found |= {lines[finding.line - 1], *above[-1:]}
    names = {label: rf"(?<![\w.-]){re.escape(label)}(\.\d|x)?(?![\w.-])" for label in LABELS}
    return {label for label in LABELS if any(re.search(names[label], line) for line in found)}


def assert_nothing_hidden_is_sent_in_silence(engine: Conversation, text: str) -> None:
    assert writes(reads(text)) == text
    assert sent(engine, text) == set()


def test_nothing_hidden_is_sent_while_the_marks_are_in_order(engine):
    assert sent(engine, HIDDEN) == set()
    assert check(HIDDEN) == []


def test_all_that_is_hidden_would_be_sent_without_its_marks(engine):
    shown = re.sub(r"\[?history=\S+", "", HIDDEN).replace("[raw]", "[markdown]")

    assert sent(engine, shown) == set(LABELS)


@pytest.mark.parametrize("accident", ACCIDENTS)
def test_check_names_a_mark_that_an_accident_broke(engine, accident):
    lines = HIDDEN.split("\n")
    texts = {"\n".join(ACCIDENTS[accident](lines, number)) for number in marks(lines)}
    for text in sorted(texts - {HIDDEN}):
        assert_nothing_hidden_is_sent_in_silence(engine, text)


_accidents = st.lists(
    st.tuples(st.sampled_from(sorted(ACCIDENTS)), st.integers(0, 40)), min_size=1, max_size=3
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(accidents=_accidents)
@example(accidents=[("indented throughout", 0)] * 2)
@example(accidents=[("indented throughout", 0)] * 3)
@example(accidents=[("type without brackets", 3), ("wrapped before history", 3)])
@example(accidents=[("no caret", 0), ("a colon for the equals sign", 0)])
@example(accidents=[("a colon for the equals sign", 1), ("in a comment", 0)])
@example(accidents=[("no caret", 0), ("a flag", 0)])
@example(accidents=[("no caret", 0), ("a wide colon", 0)])
def test_check_names_the_marks_that_several_accidents_broke(
    engine: Conversation, accidents: Sequence[tuple[str, int]]
) -> None:
    lines = HIDDEN.split("\n")
    for name, place in accidents:
        places = marks(lines)
        if places:
            lines = ACCIDENTS[name](lines, places[place % len(places)])
    assert_nothing_hidden_is_sent_in_silence(engine, "\n".join(lines))
