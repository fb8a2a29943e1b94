"""Prompts without a record bring what they refer to, as far as it is free, from the first request on."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from recorded_turns import PIXEL, answered
from scripted_server import text
from talk import content_reference, notices

from msgbook.magics.history import list_dropped
from msgbook.notebook import is_own_magic
from msgbook.notebook.conversation_file import Document
from msgbook_format import reads, writes
from msgbook_format.syntax import ChatCells
from msgbook_format.turn import TURN_MIME


def by_hand(talk, source, answer="It is so.", **keys):
    """A prompt with an answer that has no record of a request."""
    turn = {"version": 1, "status": "done", "blocks": [{"type": "text", "step": 1, "text": answer}]}
    output = {"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: turn}}
    return talk.add(source, outputs=[output], **keys)


def files(message):
    return content_reference(message)["files"]


def users(talk, number=-1):
    return [message for message in talk.sent(number) if message["role"] == "user"]


def brings_nothing(talk, number=-1):
    return "<content_reference>" not in str(talk.sent(number))


@pytest.mark.parametrize("write", [by_hand, lambda talk, source: talk.add(source), answered])
def test_a_prompt_without_a_record_brings_its_file_in_every_request_below(talk, write):
    (talk.folder / "a.txt").write_text("as it is")
    write(talk, "See @[a.txt].")

    first = talk.ask("And?")

    assert files(talk.sent()[1]) == {"a.txt": "as it is"}
    [told] = notices(first)
    assert "cell 1 (See @[a.txt].): a.txt" in told
    assert list(talk.blobs.values()) == ["as it is"]
    [record] = first["context"]["above"].values()
    assert record["files"][0]["key"] == "a.txt"
    before = talk.sent()
    (talk.folder / "a.txt").unlink()
    second = talk.ask("And again?")
    assert talk.sent()[: len(before)] == before
    assert "above" not in second["context"]


def test_the_record_survives_the_text_of_a_file(talk):
    (talk.folder / "a.txt").write_text("as it is")
    by_hand(talk, "See @[a.txt].", id="a1")
    talk.ask("And?", id="b2")
    before = talk.sent()
    (talk.folder / "a.txt").unlink()
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": talk.cells}

    talk.cells = reads(writes(notebook))["cells"]
    talk.ask("And again?")

    assert talk.sent()[: len(before)] == before


def test_a_file_written_by_hand_is_continued_with_what_its_prompts_name(talk):
    (talk.folder / "a.txt").write_text("as it is")
    (talk.folder / "chat.msg.md").write_text(
        "# %% Look\n\nSee @[a.txt].\n\n# %%%\n\nSeen.\n\n# %% Next\n\nAnd now?\n"
    )
    talk.cells = Document.read(talk.folder / "chat.msg.md").cells
    talk.server.answers = [text("Yes.")]

    talk.rerun(1)

    assert files(talk.sent()[1]) == {"a.txt": "as it is"}


def test_lines_folders_globs_nested_files_cells_images_and_macros_are_resolved(talk):
    folder = talk.folder
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("a\nb\n")
    (folder / "plan.md").write_text("For {{CITY}}: @[nested.txt]")
    (folder / "nested.txt").write_text("nested")
    (folder / "p.png").write_bytes(PIXEL)
    talk.add("#define CITY Rome\nHello.", "markdown", id="note")
    by_hand(talk, "@[plan.md] @[src/] @[src/*.py:2] @[cell:note] ![p](p.png)")
    by_hand(talk, "#define CITY Oslo\nNo references.")

    turn = talk.ask("And?")

    parts = users(talk)[1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "text"]
    assert files({"content": parts}) == {
        "plan.md": "For Rome: @[nested.txt]",
        "nested.txt": "nested",
        "src/": "[FILE] a.py",
        "src/a.py:2:2": "b",
        "cell:note": "#define CITY Rome\nHello.",
    }
    assert list(turn["context"]["above"]) == ["c2"]
    before = talk.sent()
    talk.ask("Again?")
    assert talk.sent()[: len(before)] == before


@pytest.mark.parametrize("policy", ["ask", "allow"])
@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("@[../outside.txt]", "reading it needs approval"),
        ("@[.env]", "reading it needs approval"),
        ("@[link.txt]", "reading it needs approval"),
        ("![p](../p.png)", "reading it needs approval"),
        ("@[py:frame]", "@[py:frame] is not sent: its value at that time is not known."),
        ('@[shell{"command": "touch made"}]', "tools do not run for earlier messages"),
        ('@[read{"path": "a.txt"}]', "tools do not run for earlier messages"),
        ("@[missing.txt]", "@[missing.txt] is not sent: there is no such file."),
        (
            "@[mcp__time__now]",
            "there is no such file. To call a tool, add arguments: @[mcp__time__now{}].",
        ),
    ],
)
def test_what_is_not_free_is_a_notice_once_and_not_sent(talk, reference, why, policy):
    talk.env["MSGBOOK_APPROVAL"] = policy
    (talk.folder.parent / "outside.txt").write_text("secret plan")
    (talk.folder.parent / "p.png").write_bytes(PIXEL)
    (talk.folder / ".env").write_text("secret plan")
    (talk.folder / "link.txt").symlink_to("../outside.txt")
    (talk.folder / "a.txt").write_text("free")
    by_hand(talk, f"See {reference}.")

    turn = talk.ask("And?")

    assert brings_nothing(talk)
    assert "secret plan" not in str(talk.sent())
    assert "image_url" not in str(talk.sent())
    assert not (talk.folder / "made").exists()
    assert talk.questions == []
    told = [words for words in notices(turn) if words.startswith("cell 1 (See ")]
    assert len(told) == 1
    assert why in told[0]
    assert not any(words.startswith("cell 1") for words in notices(talk.ask("Again?")))


@pytest.mark.parametrize(
    ("source", "cell_type", "history"),
    [
        ("secret plan", "markdown", "exclude"),
        ("secret plan", "raw", "include"),
        ("%%msg history=exclude\nsecret plan", "code", "include"),
        ("%%python\n'secret plan'", "code", "exclude"),
    ],
)
def test_a_hidden_cell_is_sent_only_with_the_running_message_that_names_it(
    talk, source, cell_type, history
):
    talk.add(source, cell_type, id="plan", metadata={"msgbook": {"history": history}})
    by_hand(talk, "See @[cell:plan].")

    turn = talk.ask("And?")

    assert "secret plan" not in str(talk.sent())
    assert any("@[cell:plan] is not sent: that cell is hidden" in words for words in notices(turn))
    talk.ask("See @[cell:plan].")
    assert "secret plan" in files(talk.sent()[-1])["cell:plan"]


def test_an_image_of_the_web_is_sent_as_its_url_and_named(talk):
    by_hand(talk, "Look: ![a](https://example.org/a.png)")

    turn = talk.ask("And?")

    [image] = [part for part in users(talk)[0]["content"] if part["type"] == "image_url"]
    assert image["image_url"]["url"] == "https://example.org/a.png"
    assert any("https://example.org/a.png" in words for words in notices(turn))


def test_prompts_that_are_not_sent_bring_nothing(talk):
    (talk.folder / "a.txt").write_text("as it is")
    by_hand(talk, "%%msg history=exclude\n@[a.txt]")
    by_hand(talk, "@[a.txt]", metadata={"msgbook": {"history": "none"}})
    talk.add("@[a.txt]", "markdown")
    talk.add("%%python\nprint('@[a.txt]')")
    by_hand(talk, "`@[a.txt]` and someone@example.org")

    turn = talk.ask("And?")

    assert brings_nothing(talk)
    assert "above" not in turn["context"]
    assert talk.blobs == {}


@pytest.mark.parametrize(
    "context", [{"cells": 0}, {"request_hash": "r"}, {"macros": {}, "cells": 2}]
)
def test_a_turn_that_made_a_request_has_its_record_also_if_it_names_nothing(talk, context):
    (talk.folder / "a.txt").write_text("as it is")
    answered(talk, "See @[a.txt].", context)

    turn = talk.ask("And?")

    assert brings_nothing(talk)
    assert "above" not in turn["context"]


def test_a_turn_that_failed_before_its_request_has_no_record(talk):
    (talk.folder / "a.txt").write_text("as it is")
    assert talk.ask("%%msg agent=nobody\nSee @[a.txt].")["status"] == "error"

    talk.ask("And?")

    assert files(talk.sent()[1]) == {"a.txt": "as it is"}


def test_versions_are_counted_over_all_prompts(talk):
    (talk.folder / "a.txt").write_text("one")
    talk.ask("@[a.txt]", id="recorded")
    (talk.folder / "a.txt").write_text("two")
    by_hand(talk, "First: @[a.txt]", id="first")
    by_hand(talk, "Second: @[a.txt]", id="second")
    talk.cells.insert(0, talk.cells.pop(1))
    (talk.folder / "b.txt").write_text("b")

    turn = talk.ask("Third: @[a.txt] @[b.txt]")

    above = turn["context"]["above"]
    assert [above[key]["files"][0]["version"] for key in ("first", "second")] == [2, 3]
    assert [files(message)["a.txt"] for message in users(talk)] == [
        "two",
        "one",
        "two",
        "(unchanged: version 3 above)",
    ]
    (talk.folder / "a.txt").write_text("three")
    assert talk.ask("@[a.txt]")["context"]["files"][0]["version"] == 4


def test_a_prompt_below_another_without_a_record_says_that_nothing_has_changed(talk):
    (talk.folder / "a.txt").write_text("one")
    by_hand(talk, "First: @[a.txt]")
    by_hand(talk, "Second: @[a.txt]")

    talk.ask("Third: @[a.txt]")

    unchanged = "(unchanged: version 1 above)"
    assert [files(message)["a.txt"] for message in users(talk)] == ["one", unchanged, unchanged]


def test_an_edited_prompt_is_resolved_again(talk):
    for name in ("a.txt", "b.txt"):
        (talk.folder / name).write_text(name)
    by_hand(talk, "See @[a.txt].")
    talk.ask("And?")
    talk.cells[0]["source"] = "See @[b.txt]."

    turn = talk.ask("And now?")

    assert files(talk.sent()[1]) == {"b.txt": "b.txt"}
    assert list(turn["context"]["above"]) == ["c1"]


def test_prompts_with_one_id_or_none_are_each_resolved(talk):
    for name in ("a.txt", "b.txt", "c.txt"):
        (talk.folder / name).write_text(name)
    by_hand(talk, "See @[a.txt].", id="same")
    by_hand(talk, "See @[b.txt].", id="same")
    by_hand(talk, "See @[c.txt].", id=None)
    talk.ask("And?")
    before = talk.sent()

    talk.ask("And now?")

    assert [list(files(message)) for message in users(talk)[:3]] == [
        ["a.txt"],
        ["b.txt"],
        ["c.txt"],
    ]
    assert talk.sent()[: len(before)] == before


def test_prompts_that_cannot_be_told_apart_share_one_context(talk):
    (talk.folder / "a.txt").write_text("one")
    for cell_id in (None, None, "same", "same", "same"):
        by_hand(talk, f"{cell_id}: @[a.txt].", id=cell_id)
    first = talk.ask("And?")
    before = talk.sent()

    second = talk.ask("And now?")

    assert len(first["context"]["above"]) == 2
    assert "above" not in second["context"]
    assert talk.sent()[: len(before)] == before


def test_a_prompt_that_gets_another_id_keeps_its_context(talk):
    (talk.folder / "a.txt").write_text("one")
    by_hand(talk, "See @[a.txt].", id="first")
    talk.ask("And?")
    before = talk.sent()
    (talk.folder / "a.txt").write_text("two")
    talk.cells[0]["id"] = "pasted"

    turn = talk.ask("And now?")

    assert talk.sent()[: len(before)] == before
    assert "above" not in turn["context"]


def test_the_turn_that_resolved_a_prompt_is_not_stale_afterwards(talk):
    (talk.folder / "a.txt").write_text("one")
    by_hand(talk, "See @[a.txt].")
    talk.ask("And?")
    (talk.folder / "a.txt").write_text("two")
    talk.ask("And now?")

    assert talk.stale() == []


def test_a_name_that_is_no_file_yet_stays_none(talk):
    by_hand(talk, "Thanks, @alice!")
    talk.ask("And?")
    before = talk.sent()
    (talk.folder / "alice").write_text("a file")

    talk.ask("And now?")

    assert talk.sent()[: len(before)] == before


@pytest.mark.parametrize("broken", [[], [None]], ids=["well formed", "with an output of no type"])
@pytest.mark.parametrize("answer", [[], ["It is so."]], ids=["without an answer", "answered"])
def test_what_is_resolved_late_moves_no_mark_of_an_output(talk, answer, broken):
    (talk.folder / "a.txt").write_text("as it is")
    outputs = [
        *broken,
        *({"output_type": "stream", "name": "stdout", "text": text} for text in ("hidden", "seen")),
        *({"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: {
            "version": 1, "status": "done", "blocks": [{"type": "text", "step": 1, "text": text}],
        }}} for text in answer),
    ]  # fmt: skip
    marks = {str(len(broken)): "none"}
    talk.add("See @[a.txt].", outputs=outputs, metadata={"msgbook": {"output_history": marks}})

    talk.ask("And?")

    assert files(talk.sent()[1]) == {"a.txt": "as it is"}
    assert "seen" in str(talk.sent())
    assert "hidden" not in str(talk.sent())


def test_rules_stay_with_the_prompt_that_runs(talk):
    (talk.folder / "AGENTS.md").write_text("Be brief.")
    (talk.folder / "a.txt").write_text("one")
    by_hand(talk, "See @[a.txt].")

    talk.ask("And?")

    assert "rules" not in content_reference(users(talk)[0])
    assert content_reference(users(talk)[1])["rules"] == [
        {"name": "AGENTS.md", "content": "Be brief."}
    ]


def test_an_agent_with_fewer_folders_resolves_what_is_in_them(talk):
    (talk.folder / "in").mkdir()
    (talk.folder / "in" / "a.txt").write_text("inside")
    (talk.folder / "b.txt").write_text("outside")
    agents = talk.folder / ".msgbook" / "agents"
    agents.mkdir(parents=True)
    (agents / "narrow.md").write_text("---\nallowed_uris: [in]\n---\nHello.")
    by_hand(talk, "See @[in/a.txt] and @[b.txt].")

    turn = talk.ask("%%msg agent=narrow\nAnd?")

    assert files(talk.sent()[1]) == {"in/a.txt": "inside"}
    assert any("b.txt] is not sent: reading it needs approval" in words for words in notices(turn))


def test_prune_drops_an_old_copy_that_was_resolved_late(talk):
    (talk.folder / "a.txt").write_text("one")
    by_hand(talk, "See @[a.txt].")
    talk.ask("And?")
    (talk.folder / "a.txt").write_text("two")
    talk.ask("Again: @[a.txt]")

    listed = list_dropped(talk.cells, ChatCells(is_own_magic), {}.get)
    talk.add("%prune")
    talk.ask("And now?")

    assert "a.txt: version 1" in listed
    assert "was dropped by %prune" in files(talk.sent()[1])["a.txt"]
    assert files(users(talk)[2])["a.txt"] == "two"


def test_a_preview_shows_the_same_and_writes_nothing(talk):
    (talk.folder / "a.txt").write_text("one")
    (talk.folder / ".env").write_text("secret plan")
    by_hand(talk, "See @[a.txt] and @[.env].")
    talk.add("And?")

    preview = talk.preview(1)

    assert talk.blobs == {}
    assert len(preview.notices) == 2
    talk.server.answers = [text("Yes.")]
    talk.rerun(1)
    assert preview.body.messages == talk.sent()


def test_a_key_in_a_file_is_in_no_record(talk):
    key = "sk-0123456789abcdef"
    talk.env["OPENAI_API_KEY"] = key
    (talk.folder / "notes.txt").write_text(f"key: {key}")
    by_hand(talk, f"#define KEY {key}\nSee @[notes.txt].")

    turn = talk.ask("And?")

    assert key not in str(talk.sent())
    assert key not in str(turn)
    assert key not in str(talk.blobs)


def test_a_recorded_context_brings_nothing_of_its_own(talk):
    """A record of somebody else names texts by digest only, and only for prompts without one."""
    (talk.folder / "a.txt").write_text("one")
    entry = {"key": ".env", "sha256": "0" * 64, "version": 1}
    hostile = {
        "c1": {"source": "0" * 16, "files": [entry]},
        "c2": {"files": [entry]},
        "c3": [],
        "c4": {"source": {}, "images": 1},
    }
    by_hand(talk, "See @[a.txt].")
    answered(talk, "Hello.", {"above": hostile, "cells": 1})
    answered(talk, "Hello.", {"above": ["c1"], "cells": 1})

    turn = talk.ask("And?")

    assert turn["status"] == "done"
    assert files(talk.sent()[1]) == {"a.txt": "one"}


def test_very_many_prompts_without_a_record_are_limited_and_stay_as_they_are(talk):
    (talk.folder / "a.txt").write_text("one")
    for number in range(510):
        by_hand(talk, f"{number}: @[a.txt]")

    turn = talk.ask("And?")

    assert len(turn["context"]["above"]) == 500
    assert any(words.startswith("From cell 501 (500: @[a.txt]) on, ") for words in notices(turn))
    before = talk.sent()
    second = talk.ask("And now?")
    assert talk.sent()[: len(before)] == before
    assert "above" not in second["context"]


def test_a_request_resolves_four_million_characters_and_the_rest_stays_as_it_is(talk):
    for number in range(24):
        (talk.folder / f"{number}.txt").write_text(f"{number} " + "x" * 199_000)
        by_hand(talk, f"{number}: @[{number}.txt]")

    turn = talk.ask("And?")

    assert any(words.startswith("From cell 22 (21: @[21.txt]) on, ") for words in notices(turn))
    assert [bool(record.get("files")) for record in turn["context"]["above"].values()] == [
        *[True] * 21,
        *[False] * 3,
    ]
    before = talk.sent()
    assert not any("From cell" in words for words in notices(talk.ask("And now?")))
    assert talk.sent()[: len(before)] == before


@pytest.mark.parametrize("seed", range(6))
def test_while_cells_are_added_and_files_change_each_request_begins_with_the_one_before(talk, seed):
    random = Random(seed)
    names = ["a.txt", "b.md", "c.py"]
    for number in range(7):
        for name in random.sample(names, 2):
            (talk.folder / name).write_text(f"{random.choice('xy')} @[{random.choice(names)}]")
        if random.random() < 0.4:
            (talk.folder / random.choice(names)).unlink(missing_ok=True)
        write = random.choice([by_hand, talk.add, lambda source: None])
        source = f"{number}: @[{random.choice(names)}] and @{random.choice(names)} or @[*.py:1]"
        write(talk, source) if write is by_hand else write(source)
        talk.ask(f"@[{random.choice(names)}]" if random.random() < 0.5 else "And?")
    requests = [talk.sent(number) for number in range(7)]

    for before, after in itertools.pairwise(requests):
        assert after[: len(before)] == before
    assert not any("is gone" in str(request) for request in requests)


def test_requests_begin_with_those_before_while_files_change(talk):
    for number in range(4):
        (talk.folder / "a.txt").write_text(f"text {number}")
        by_hand(talk, f"{number}: @[a.txt]")
        talk.ask("And?")
    requests = [talk.sent(number) for number in range(-4, 0)]

    for before, after in itertools.pairwise(requests):
        assert after[: len(before)] == before
