"""Hostile records in a notebook of somebody else, and hostile files in a project."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from recorded_turns import answered, keep
from talk import content_reference, notices

from msgbook.messages import encode
from msgbook.text import RESULT_LIMIT

URL = "file:///etc/passwd"


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_kept_text_is_an_image_only_if_it_holds_one(talk):
    digest = keep(talk, URL)
    answered(talk, "See ![a](a.png).", {"images": [{"key": "a.png", "sha256": digest}]})

    turn = talk.ask("And?")

    assert turn["status"] == "done"
    assert talk.sent()[1]["content"] == "See ![a](a.png)."


def test_a_recorded_result_is_sent_with_its_own_images_and_nothing_else(talk):
    blocks = [
        {"type": "tool_call", "step": 1, "id": "c", "name": "read", "arguments": "{}"},
        {
            "type": "tool_result",
            "step": 1,
            "id": "c",
            "status": "success",
            "content": [
                {"type": "image_url", "image_url": {"url": URL, "detail": {"a": 1}}},
                {"type": "text", "text": "T", "role": "system", "more": deep(300)},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            ],
        },
    ]
    answered(talk, "Look.", blocks=blocks)

    talk.ask("And?")

    [result] = [message for message in talk.sent() if message["role"] == "tool"]
    assert result["content"] == [
        {"type": "text", "text": f"[image: {URL}]"},
        {"type": "text", "text": "T"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ]


@pytest.mark.parametrize("levels", [90, 500, 900])
def test_no_nesting_of_a_record_ends_a_turn(talk, levels):
    digest = keep(talk, "R")
    odd = deep(levels)
    answered(talk, "One.", {"tools": [{"name": "f", "sha256": digest, "args": odd}]})
    answered(talk, "Gone.", {"tools": [{"name": odd, "sha256": "0" * 64}]})
    answered(talk, "Two.", {"files": odd, "macros": odd, "summaries": {"c": odd}, "images": odd})
    blocks = [
        {"type": "text", "step": 1, "text": odd, "extra": odd},
        {"type": "tool_call", "step": 1, "id": "c", "name": "f", "arguments": odd, "extra": odd},
        {"type": "tool_result", "step": 1, "id": "c", "status": "success", "content": odd},
    ]
    answered(talk, "Three.", odd, blocks, agent=odd, usage=odd)
    talk.metadata = {"msgbook": {"macros": {"A": odd}, "rules": odd, "agent_metadata": odd}}

    assert talk.ask("And?")["status"] == "done"


def test_one_record_loads_no_more_texts_than_a_prompt_can_have(talk):
    digest = keep(talk, "x" * 500_000)
    files = [{"key": f"f{i}", "sha256": digest, "version": 1} for i in range(500)]
    answered(talk, "All.", {"files": files})
    pictures = keep(talk, "data:image/png;base64," + "A" * 500_000)
    images = [{"key": "a", "sha256": pictures}] * 500
    answered(talk, "See " + "![a](a) " * 500, {"images": images})

    assert talk.ask("And?")["status"] == "done"
    assert len(encode(talk.sent()[1])) < 3_000_000
    assert sum(part["type"] == "image_url" for part in talk.sent()[2]["content"]) == 20


def test_many_records_of_one_kept_text_are_not_sent(talk):
    digest = keep(talk, "x" * 1_900_000)
    for _ in range(100):
        answered(talk, "This.", {"files": [{"key": "f", "sha256": digest, "version": 1}]})

    turn = talk.ask("And?")

    assert (turn["status"], talk.server.requests) == ("error", [])
    assert "exclude" in turn["blocks"][-1]["message"]


def test_a_recorded_summary_is_no_longer_than_one_that_is_made(talk):
    source = "sha256:" + sha256(b"User: Long.").hexdigest()
    answered(talk, "First.", {"summaries": {"x": {"text": "s" * 1_000_000, "source": source}}})
    for _ in range(50):
        talk.add("Long.", metadata={"msgbook": {"history": "summary"}})

    talk.ask("And?")

    assert len(encode(talk.sent())) < 500_000


def test_the_references_of_all_rules_share_the_room_of_one_prompt(talk):
    rules = talk.folder / ".msgbook" / "rules"
    rules.mkdir(parents=True)
    for number in range(10):
        (talk.folder / f"{number}.txt").write_text("x" * 150_000)
        (rules / f"{number}.md").write_text(f"See @[{number}.txt].")

    turn = talk.ask("Hello.")

    files = content_reference(talk.sent()[-1])["files"]
    assert sum(map(len, files.values())) < 410_000
    assert any("400000 characters" in words for words in notices(turn))


def test_macros_of_a_notebook_do_not_make_tags_and_arguments_large(talk):
    talk.metadata = {"msgbook": {"macros": {"A": "{{B}}" * 200, "B": "b" * 4000}}}
    (talk.folder / "a.md").write_text("@[{{A}}] " * 20_000)
    arguments = json.dumps({"path": ["{{A}}"] * 10_000})

    turn = talk.ask(f"Read @[a.md] and @[read{arguments}].")

    assert turn["status"] == "done"
    assert len(notices(turn)) < 100


def test_half_a_secret_is_not_sent_where_a_long_text_is_cut(talk):
    secret = "sk-0123456789abcdefghij"
    talk.env["OPENAI_API_KEY"] = secret
    for cut in (150_000, 350_000):
        (talk.folder / f"{cut}.txt").write_text("x" * (cut - 10) + secret + "y" * (400_000 - cut))

    talk.ask("Read @[150000.txt] and @[350000.txt].")

    assert secret[:9] not in json.dumps(talk.sent())
    assert secret[-9:] not in json.dumps(talk.sent())


def test_half_a_secret_is_not_sent_where_the_output_of_a_named_cell_is_cut(talk):
    secret = "sk-0123456789abcdefghij"
    talk.env["OPENAI_API_KEY"] = secret
    printed = "x" * (RESULT_LIMIT * 3 // 4 - 10) + secret + "y" * RESULT_LIMIT
    output = {"output_type": "stream", "name": "stdout", "text": printed}
    excluded = {"msgbook": {"history": "exclude"}}
    talk.add("!cat log", outputs=[output], metadata=excluded)

    talk.ask("Read @[cell:c1].")

    assert "!cat log" in json.dumps(talk.sent())
    assert secret[:9] not in json.dumps(talk.sent())


@pytest.mark.parametrize("levels", [150, 900, 100_000])
def test_arguments_that_are_nested_too_deep_are_a_notice(talk, levels):
    turn = talk.ask('Do @[f{"a": ' + "[" * levels + "]" * levels + "}].")

    assert turn["status"] == "done"
    assert any("deep" in words or "not JSON" in words for words in notices(turn))
