"""A cell whose footnote cannot be read is sent to no model, is kept to the byte, and says why."""

from __future__ import annotations

import asyncio
import json

import pytest

from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.errors import MsgbookError
from msgbook.notebook import Transcript
from msgbook_format import check, reads, writes

UNREAD = "# %% [^a]\n\n[^a]: [markdown] histroy=none\n\nCANARY\n"
STRAY = "# %% [^a]\n\nCANARY\n\n# %% [^b]\n\n[^b]: [markdown]\n\nOpen.\n\n[^c]: [raw]\n"

GATHERED = "# %% [^a]\n\nCANARY\n\n# %% [^b]\n\n[^b]: [markdown]\n\nOpen.\n\n"
ELSEWHERE = [
    GATHERED + "[^a]: id=x\n    history=exclude\n",
    GATHERED + "[^a]:\n    history=exclude\n",
    GATHERED + "[^a]: model=x\nhistory=exclude\n",
    "# %% [^a]\n\nCANARY\n\n[^a]: id=x\n    history=exclude\n",
    "# %% [^a]\n\n[^a]: id=x\n> history=exclude\n\nCANARY\n",
    "# %% [^a]\n\n[^a]: id=x\n - history=exclude\n\nCANARY\n",
    "# %% [^a]\n\n[^a]: id=x,history=exclude\n\nCANARY\n",
    "# %% [^a]\n\n[^a]: id=x;history=exclude\n\nCANARY\n",
    "# %% [^a]\n\n[^a]: history\uff1dexclude\n\nCANARY\n",
]


@pytest.fixture
def engine(tmp_path) -> Conversation:
    return Conversation(Services(load_settings({"MSGBOOK_MODEL": "demo"})), tmp_path)


def preview(engine: Conversation, cells: list, current: dict | None = None):
    above = Transcript("file", cells, current)
    return asyncio.run(engine.preview("And now?", above))


@pytest.mark.parametrize("text", [UNREAD, STRAY, *ELSEWHERE])
def test_it_is_not_sent_and_the_next_turn_says_why(engine, text):
    asked = preview(engine, reads(text).cells)

    assert "CANARY" not in json.dumps(asked.body.messages)
    assert "cannot be read as its footnote" in " ".join(asked.notices)


@pytest.mark.parametrize("text", [UNREAD, STRAY, *ELSEWHERE])
def test_its_text_is_kept_to_the_byte_and_found_once(text):
    assert writes(reads(text)) == text
    assert [finding.code for finding in check(text)] == ["unread-footnote"]


def test_running_it_is_an_error_that_shows_the_line(engine):
    with pytest.raises(MsgbookError, match=r"`.*histroy=none` cannot be read as its footnote"):
        preview(engine, [], reads(UNREAD).cells[0])


def test_running_a_message_with_an_unknown_history_is_an_error(engine):
    cell = reads(UNREAD.replace("histroy=none", "history=exlude")).cells[0]

    with pytest.raises(MsgbookError, match=r"expected history=include, .*, got exlude"):
        preview(engine, [], cell)


def test_a_history_that_a_person_chooses_mends_it(engine):
    notebook = reads(UNREAD)
    notebook.cells[0].metadata.msgbook["history"] = "include"

    asked = preview(engine, notebook.cells, notebook.cells[0])

    assert "CANARY" in json.dumps(asked.body.messages)
    again = reads(writes(notebook))
    assert check(writes(notebook)) == []
    assert "text" not in again.cells[0].metadata.msgbook


def test_an_authors_own_footnotes_hold_nothing_up(engine):
    text = "# %% [^a]\n\nCANARY[^1]\n\n[^1]: [Smith 2020] Bees, p. 4\n[^2]: about history\n"

    assert "CANARY" in json.dumps(preview(engine, reads(text).cells).body.messages)
