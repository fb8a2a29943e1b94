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
from msgbook_format.syntax import unread_footnote
from msgbook_format.syntax.text_cell import is_restricted

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


EQUALS = [
    "&#61;", "&#x3d;", "&#X3D;", "&#61", "&equals;", "%3D", "%3d", "\\=", "\\u003d", "\\x3d", "&amp;#61;", "%253D",
    "\uff1d", "\ufe66", "\ua78a", "\u2550", "\u1400", "\u30a0", "\u200b=", "=\u200b", f"&#{'0' * 5000}61;",
]  # fmt: skip
WORDS = [
    "history{}exclude", "[history{}exclude]", "&#104;istory{}exclude", "histor&#121;{}none", "HISTORY{}EXCLUDE", "h\\istory{}exclude",
    "history{}&quot;exclude&quot;", "history{}&#101;xclude", "id=x&#32;history{}exclude", "id=x&nbsp;history{}exclude",
    "id=x%20history{}exclude", "id=x history{}exclude", "id=x&comma;history{}exclude",
]  # fmt: skip
ESCAPED = [
    f"# %% [^a]\n\n[^a]: {type_}{word.format(equals)}\n\nCANARY\n"
    for equals in EQUALS
    for word in WORDS
    for type_ in ("", "[markdown] ", "[code] ")
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


def test_no_spelling_of_an_escape_is_read_as_something_else():
    sent = []
    for text in ESCAPED:
        [cell] = reads(text).cells
        msgbook = cell.metadata.get("msgbook", {})
        if not (unread_footnote(msgbook) or is_restricted(msgbook.get("history", "include"))):
            sent.append(text.splitlines()[2])

    assert sent == []


@pytest.mark.parametrize("text", ESCAPED[::97])
def test_what_is_escaped_is_not_sent(engine, text):
    assert "CANARY" not in json.dumps(preview(engine, reads(text).cells).body.messages)


@pytest.mark.parametrize(
    "line",
    [
        "[markdown] model=a%20b",
        "[markdown] title=&quot;on&equals;&quot;",
        '[markdown] note="see https://example.org/?page=1&history=2"',
        "[markdown] model=C:\\models\\q=4",
        "[markdown] id=x alt=A&amp;B",
    ],
)
def test_other_escapes_hold_nothing_up(engine, line):
    text = f"# %% [^a]\n\n[^a]: {line}\n\nCANARY\n"

    assert "CANARY" in json.dumps(preview(engine, reads(text).cells).body.messages)


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
