"""Laws over generated chats and titles."""

from __future__ import annotations

import json
import ntpath
import sys
from copy import deepcopy
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from other_programs import LLM_ROWS, MESSAGES, chatgpt, claude, jupyter_ai, llm_rows

from msgbook.errors import MsgbookError
from msgbook.extras.other_chats import notebook_of, safe_stem
from msgbook.extras.other_chats.fields import Unread
from msgbook.extras.other_chats.json_text import load
from msgbook.extras.other_chats.llm_database import read_threads
from msgbook.extras.other_chats.read import chats_of
from msgbook.request.history import Reader, View
from msgbook_format import reads, writes

TEXTS = st.text(max_size=30) | st.sampled_from(
    ["%%python\nx", "!ls", "\\a", "# %% [^a]", "# %%%", "```", "@[a]", "#define A b", "![](x.png)", "\ud800", "a\r\nb"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
SAMPLES = [[chatgpt()], [claude()], jupyter_ai(), MESSAGES, llm_rows(), {"messages": MESSAGES}]


def is_reserved(name: str) -> bool:
    """Whether Windows keeps a name for itself; Python moved the function in 3.13."""
    if sys.version_info >= (3, 13):
        return ntpath.isreserved(name)
    return PureWindowsPath(name).is_reserved()


def places(value, path=()):
    """Yield the path to each value inside of a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, (dict, list)):
            yield from places(item, (*path, key))


@st.composite
def damaged(draw, samples):
    """A sample with other values in up to three places, or without them."""
    value = deepcopy(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(value)) or [()]))
        if not path:
            break
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        if draw(st.booleans()):
            inner[path[-1]] = draw(VALUES)
        else:
            del inner[path[-1]]
    return value


def outcome(read, *values):
    """Return what a reader returns, or an empty list, and the words of its errors."""
    unread = [value for value in values if isinstance(value, Unread)]
    try:
        found, errors = read(*values), []
    except MsgbookError as error:
        found, errors = [], [str(error)]
    return found, errors + [reason for one in unread for reason in one.reasons]


def require_sound(chats):
    for chat in chats:
        for branch in (chat, *chat.forks):
            notebook = notebook_of(branch)
            text = writes(notebook)
            text.encode()
            assert writes(reads(text)) == text
            assert all(isinstance(finding, str) for finding in branch.findings)


@given(damaged(SAMPLES))
def test_any_change_of_a_file_gives_sound_notebooks_or_an_error_in_words(value):
    chats, error = outcome(chats_of, value, Unread())

    assert all("expected" in words for words in error)
    require_sound(chats)


@given(damaged([LLM_ROWS]))
def test_any_change_of_a_database_gives_sound_notebooks_or_an_error_in_words(rows):
    tables = (
        "threads",
        "turns",
        "messages",
        "parts",
        "fragments",
        "attachments",
        "tools",
        "turn_tools",
    )
    found = {name: rows.get(name) for name in tables}
    # The rows of a table are objects; their values may be anything that SQLite holds.
    for name, value in found.items():
        listed = value if isinstance(value, list) else []
        found[name] = [row for row in listed if isinstance(row, dict)]
        for row in found[name]:
            for key, held in row.items():
                row[key] = json.dumps(held) if isinstance(held, (list, dict)) else held

    chats, error = outcome(read_threads, found, Unread())

    assert all("expected" in words for words in error)
    require_sound(chats)


@given(st.binary(max_size=60) | st.builds(str.encode, st.text('[]{}",:0e.\n a', max_size=40)))
def test_any_bytes_are_json_or_an_error_in_words(data):
    _, error = outcome(load, data)

    assert all("expected JSON" in words for words in error)


BLANKS = st.text(" \t\r", max_size=3)
"""White space of JSON within a line."""


@given(
    st.lists(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=2), min_size=2, max_size=4),
    st.data(),
)
def test_blanks_around_each_line_of_a_file_change_nothing(values, data):
    ends = data.draw(st.sampled_from(["\n", "\r\n", "\n\n", "\r\n\r\n"]))
    lines = [data.draw(BLANKS) + json.dumps(value) + data.draw(BLANKS) for value in values]
    around = [data.draw(BLANKS | st.sampled_from(["\n", "\r\n", "\n \n"])) for _ in range(2)]

    given_lines = (around[0] + ends.join(lines) + around[1]).encode()

    assert load(given_lines) == load("\n".join(map(json.dumps, values)).encode())
    assert load(given_lines)[1]


@given(VALUES, st.data())
def test_blanks_at_any_place_of_a_value_change_nothing(value, data):
    """A separator of JSON may have blanks on both sides, and a file at its begin and end."""
    blanks = st.text(" \t\r\n", max_size=3)
    comma, colon = (data.draw(blanks) + mark + data.draw(blanks) for mark in ",:")
    text = json.dumps(value, separators=(comma, colon))

    given_text = data.draw(blanks) + text + data.draw(blanks)

    assert load(given_text.encode()) == load(json.dumps(value).encode())


@pytest.mark.parametrize("sample", SAMPLES)
def test_equal_files_give_equal_notebooks(sample):
    first, second = (list(map(notebook_of, chats_of(deepcopy(sample), Unread()))) for _ in range(2))

    assert first == second


SENT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)
HARD = st.sampled_from(
    ["%%python\nx", "!ls", "\\a", "# %% [^a]", "```", "@[a]", "#define A b", "{{A}}", "%msg"]
)


@given(st.lists(st.tuples(SENT | HARD, SENT | HARD), min_size=1, max_size=4))
def test_messages_are_sent_as_they_were_after_the_way_through_a_file(pairs):
    messages = [
        {"role": role, "content": text}
        for pair in pairs
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    (chat,) = chats_of(messages, Unread())

    notebook = reads(writes(notebook_of(chat)))

    view = View("assistant", "")
    assert Reader().read(notebook["cells"], view).messages == messages


@given(st.text(max_size=200) | st.text("./\\ -CONAUX:~\x00", max_size=12))
def test_the_name_of_a_file_is_one_name_on_every_system(title):
    stem = safe_stem(title)
    name = f"{stem}.msg.md"

    assert 1 <= len(stem.encode()) <= 82
    assert PurePosixPath(name).parts == (name,)
    assert PureWindowsPath(name).parts == (name,)
    assert not is_reserved(name)
    assert stem[0] not in ".-~ "
    assert stem[-1] not in ". "
    assert stem.isprintable()
