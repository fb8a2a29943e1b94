"""Summaries stand for what they sum up, as long as that stays as it was."""

from __future__ import annotations

from functools import partial

import pytest
from history_cells import answers, calls, code, note, prompt, says

from msgbook.config import redact_json
from msgbook.request.history import (
    Reader,
    View,
    known_summaries,
    summary_record,
    summary_request,
)
from msgbook.request.history.summary import INPUT_LIMIT, SUMMARY_LIMIT
from msgbook_format.turn import TURN_MIME

VIEW = View("assistant", "s")


def read(*cells, summaries=None):
    return Reader().read(cells, VIEW, summaries or {})


def contents(*cells, summaries=None):
    return [m["content"] for m in read(*cells, summaries=summaries).messages]


def long_turn(**metadata):
    cell = prompt("Why?", calls("c"), answers("c", "42"), says("So.", 2), **metadata)
    return cell | {"id": "p"}


def recorded(cell, answer="In short."):
    """A later prompt whose turn has the summary that a cell needs."""
    (missing,) = read(cell).missing
    later = prompt("Later", says("Yes."))
    turn = later["outputs"][0]["data"][TURN_MIME]
    turn["context"] = {"summaries": summary_record(missing, answer)}
    return later


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (long_turn(history="summary", summary={"text": "In short."}), "[summary] In short."),
        (code("!ls"), "[summary] In short."),
        (note("A long note."), "[summary] In short."),
        (note("A long note.", role="assistant"), "In short."),
    ],
)
def test_a_summary_stands_for_the_cell_and_its_turn(cell, said):
    cell["metadata"].setdefault("msgbook", {})
    cell["metadata"]["msgbook"] |= {"history": "summary", "summary": {"text": "In short."}}

    assert contents(cell) == ["s", said]
    assert read(cell).missing == []


def test_a_summary_of_a_system_note_is_one():
    summary = {"history": "summary", "summary": {"text": "Rhyme."}, "role": "system"}

    assert contents(note("Answer in rhymes.", **summary)) == ["s\n\nRhyme."]
    assert contents(prompt("Q"), note("Answer in rhymes.", **summary))[1:] == [
        "Q",
        "[system] Rhyme.",
    ]


def test_a_missing_summary_is_named_and_the_whole_is_sent_meanwhile():
    cell = long_turn(history="summary")

    assert contents(cell) == contents(long_turn())
    (missing,) = read(cell).missing
    assert missing.key == "p"
    assert missing.source.startswith("sha256:")
    assert missing.text == (
        "User: Why?\n\nAssistant: (calls read with {})\n\nResult: 42\n\nAssistant: So."
    )


def test_a_recorded_summary_is_used_from_then_on():
    cell = long_turn(history="summary")
    later = recorded(cell)

    assert contents(cell, summaries=known_summaries([cell, later])) == ["s", "[summary] In short."]


def test_a_mirrored_summary_is_used_until_what_it_sums_up_changes():
    cell = long_turn(history="summary")
    (missing,) = read(cell).missing
    cell["metadata"]["msgbook"]["summary"] = summary_record(missing, "In short.")["p"]

    assert contents(cell) == ["s", "[summary] In short."]
    cell["outputs"][0]["data"][TURN_MIME]["blocks"][-1]["text"] = "So not."
    assert len(read(cell).missing) == 1
    assert contents(cell)[-1] == "So not."


def test_an_edited_summary_wins_over_the_recorded_one():
    cell = long_turn(history="summary")
    (missing,) = read(cell).missing
    cell["metadata"]["msgbook"]["summary"] = {"text": "My words.", "source": missing.source}

    known = known_summaries([recorded(long_turn(history="summary"))])
    assert contents(cell, summaries=known) == ["s", "[summary] My words."]


def test_the_source_is_the_same_for_every_agent_and_without_what_the_prompt_brought():
    cell = long_turn(history="summary")
    (missing,) = read(cell).missing
    bringing = Reader(replay=lambda text, context, vision: f"{text} <a file>")
    (other,) = bringing.read([cell], View("reviewer", "t", vision=True)).missing

    assert other.source == missing.source
    assert "<a file>" in other.text


def test_a_reader_that_remembers_takes_up_a_summary_that_was_made():
    cell = long_turn(history="summary")
    reader = Reader()

    assert len(reader.read([cell], VIEW).missing) == 1
    known = known_summaries([recorded(cell)])
    assert len(reader.read([cell], VIEW, known).messages) == 2
    assert len(reader.read([cell], VIEW).missing) == 1


def test_a_call_is_summed_up_in_its_result():
    call = calls("c", history="summary", summary={"text": "A number."})

    assert contents(prompt("Q", call, answers("c", "4" * 900)))[-1] == "A number."


def test_the_summary_of_a_call_that_is_missing_has_a_key_of_its_own():
    cell = prompt("Q", calls("c", history="summary"), answers("c", "42")) | {"id": "p"}

    (missing,) = read(cell).missing
    assert (missing.key, missing.text) == ("p/c", "read {}\n\n42")
    known = known_summaries([recorded(cell, "A number.")])
    assert contents(cell, summaries=known)[-1] == "A number."


def test_what_is_to_be_summed_up_is_redacted():
    reader = Reader(redact=partial(redact_json, secrets=["sk-key"]))
    cell = prompt("The key is sk-key", says("Thanks."), history="summary")

    (missing,) = reader.read([cell], VIEW).missing
    assert "sk-key" not in missing.text


def test_the_request_for_a_summary_is_bounded():
    system, user = summary_request("x" * 10**6)

    assert system["role"] == "system"
    assert len(user["content"]) < INPUT_LIMIT + 100


def test_an_empty_answer_is_no_summary_and_a_long_one_is_cut():
    (missing,) = read(long_turn(history="summary")).missing

    assert summary_record(missing, " \n") == {}
    assert len(summary_record(missing, "x" * 10**5)["p"]["text"]) < SUMMARY_LIMIT + 100


def test_an_empty_cell_needs_no_summary():
    assert read(prompt(" ", history="summary"), note("", history="summary")).missing == []
