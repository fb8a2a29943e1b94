"""Chats of other programs become conversations."""

from __future__ import annotations

import json
import os

import pytest
from ctrl_c import interrupted_at
from other_programs import MESSAGES, PNG, archive, chatgpt, claude, jupyter_ai, llm_rows, node, said

from msgbook.__main__ import main
from msgbook_format import read
from msgbook_format.turn import turn_of

TIDES = [
    ["user", "What causes tides?"],
    ["reasoning", "Causes\n\nThe moon pulls."],
    ["tool_call", '{"code": "print(6 * 2)"}'],
    ["tool_result", "12"],
    ["text", "The moon, twice in 24 hours."],
]
RUST = [
    ["user", "Which one?\n\nneeds.txt:\n\n```\nfast\n```"],
    ["reasoning", "Fast it must be."],
    ["tool_call", '{"query": "rust"}'],
    ["tool_result", "Rust is fast."],
    ["text", "Rust."],
]


def test_an_archive_of_chatgpt_becomes_a_file_for_each_chat_and_each_other_branch(
    converter, capsys
):
    files = {
        "user.json": {},
        "chat.html": b"<p>",
        "conversations.json": [chatgpt(), chatgpt("Sea")],
    }
    notebooks = converter.into("export.zip", archive(files))

    assert list(notebooks) == [
        "Sea-fork.msg.md", "Sea.msg.md", "Tides-fork.msg.md", "Tides.msg.md",
    ]  # fmt: skip
    assert said(notebooks["Tides.msg.md"]) == TIDES
    assert said(notebooks["Tides-fork.msg.md"]) == [
        ["user", "What are tides?"],
        ["text", "Waves of the moon."],
    ]
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 4
    assert "export.zip: other branches, written to files of their own: 2" in shown.err
    assert "export.zip: not read, because they are not chats: user.json" in shown.err


@pytest.mark.parametrize("call", [1, 2, 3, 4])
def test_an_interrupt_while_a_file_is_written_leaves_none_behind(converter, call):
    source = converter.file("conversations.json", [chatgpt(), chatgpt("Sea")])

    # Each file is synced, and then the folder with its name.
    with interrupted_at(os.fsync, call=call):
        assert main(["convert", str(source), "--out", "out"]) != 0

    assert list((converter.folder / "out").iterdir()) == []


def test_what_has_no_place_in_the_cells_is_kept_in_the_metadata(converter):
    notebook = converter.into("conversations.json", [chatgpt()])["Tides.msg.md"]

    imported = notebook["metadata"]["msgbook"]["imported"]
    assert (imported["from"], imported["title"]) == ("chatgpt", "Tides")
    assert (imported["conversation_id"], imported["create_time"]) == ("8f3a2b1c", 1736209400.1)
    turn = turn_of(notebook["cells"][0]["outputs"][0])
    assert (turn["model"], turn["started"]) == ("gpt-4o", "2025-01-07T00:23:32Z")


def test_an_image_of_the_archive_is_attached_and_a_missing_one_is_said(converter, capsys):
    def image(name):
        return {
            "content_type": "image_asset_pointer",
            "asset_pointer": f"sediment://{name}",
            "width": 1,
        }

    question = node("u", None, "user", content={
        "content_type": "multimodal_text", "parts": [image("file_1"), image("file_2"), "What is it?"],
    })  # fmt: skip
    chat = chatgpt("Look", question, node("a", "u", "assistant", "A dot."))
    files = {"conversations.json": [chat], "file_1-sanitized.png": PNG}

    cell = converter.into("export.zip", archive(files))["Look.msg.md"]["cells"][0]

    (image_file,) = (converter.folder / "out" / "attachments").iterdir()
    assert image_file.read_bytes() == PNG
    assert cell["source"] == f"![image](attachments/{image_file.name})\n\n[image]\n\nWhat is it?"
    assert (
        "an image that is not in the archive is only named (in 'Look')" in capsys.readouterr().err
    )


def test_of_many_kinds_of_findings_the_most_frequent_are_told(converter, capsys):
    parts = [{"type": f"kind {min(n, 50)}"} for n in range(60)]
    converter.one("a.json", [{"role": "user", "content": [*parts, {"type": "text", "text": "Hi"}]}])

    told = capsys.readouterr().err.splitlines()

    assert len(told) == 21
    assert "'kind 50' is not in the text (in 'a chat without a title', 10 times)" in told[0]
    assert told[-1].endswith("a.json: and 31 more kinds of findings")


def test_custom_instructions_are_kept_and_no_message(converter, capsys):
    settings = {"content_type": "user_editable_context", "user_profile": "I am Ann"}
    hidden = node("h", None, "user", content=settings)
    empty = node("s", "h", "system", "")
    chat = chatgpt(
        "Who", hidden, empty, node("u", "s", "user", "Hi"), node("a", "u", "assistant", "Ann!")
    )

    notebook = converter.one("conversations.json", [chat])

    assert said(notebook) == [["user", "Hi"], ["text", "Ann!"]]
    assert notebook["metadata"]["msgbook"]["imported"]["hidden"] == [settings]
    assert (
        "such as custom instructions, is only in the metadata (in 'Who')" in capsys.readouterr().err
    )


def test_marks_for_sources_become_the_links_that_were_shown(converter):
    mark = "\ue200cite\ue202turn0search1\ue201"
    reference = {
        "matched_text": mark,
        "type": "grouped_webpages",
        "alt": "([sea](https://sea.org))",
    }
    answer = node(
        "a", "u", "assistant", f"Blue.{mark}", metadata={"content_references": [reference]}
    )

    notebook = converter.one("c.json", [chatgpt("Sea", node("u", None, "user", "Colour?"), answer)])

    assert said(notebook)[1] == ["text", "Blue.([sea](https://sea.org))"]
    (kept,) = notebook["cells"][0]["metadata"]["msgbook"]["imported"][1:]
    assert kept["metadata"]["content_references"] == [reference]


def test_what_is_beside_a_text_or_a_call_of_claude_is_kept(converter):
    chat = claude()
    chat["chat_messages"][1]["content"][3]["citations"] = [{"url": "https://rust.org"}]

    cell = converter.one("claude.json", [chat])["cells"][0]

    assert cell["metadata"]["msgbook"]["imported"][1]["content"] == [
        {"number": 4, "citations": [{"url": "https://rust.org"}]}
    ]


def test_an_answer_that_was_edited_in_claude_is_a_branch(converter):
    chat = claude("Two")
    first, answer = chat["chat_messages"]
    first["parent_message_uuid"] = "00000000-0000-4000-8000-000000000000"
    answer["parent_message_uuid"] = "m1"
    again = {**answer, "uuid": "m3", "content": [{"type": "text", "text": "Go."}]}
    chat["chat_messages"].append(again)

    notebooks = converter.into("claude.json", [chat])

    assert said(notebooks["Two.msg.md"])[1:] == [["text", "Go."]]
    assert said(notebooks["Two-fork.msg.md"]) == RUST


def test_an_archive_of_claude_becomes_a_file_for_each_chat(converter, capsys):
    notebooks = converter.into("claude.zip", archive({"conversations.json": [claude()]}))

    assert said(notebooks["Rust or Go.msg.md"]) == RUST
    assert "files that the archive only names are in the metadata" in capsys.readouterr().err


def test_a_chat_of_jupyter_ai_becomes_a_conversation(converter, capsys):
    notebook = converter.one("plot.chat", jupyter_ai())

    assert said(notebook) == [["user", "@Jupyternaut plot it"], ["text", "`plt.plot(x)`"]]
    kept = notebook["cells"][0]["metadata"]["msgbook"]["imported"]
    assert kept[0]["attachments"]["f-1"]["value"] == "data/x.csv"
    assert "attached files" in capsys.readouterr().err


def test_logs_of_llm_become_a_file_for_each_conversation(converter):
    notebooks = converter.into("logs.json", llm_rows())

    assert said(notebooks["Shout.msg.md"]) == [
        ["system", "Be loud."],
        ["user", "Shout panda"],
        ["tool_call", '{"text": "panda"}'],
        ["tool_result", "PANDA"],
        ["text", "PANDA!"],
    ]
    assert said(notebooks["Hi.msg.md"]) == [["user", "Read this.\nHi"], ["text", "Hello"]]
    turn = turn_of(notebooks["Shout.msg.md"]["cells"][1]["outputs"][0])
    assert turn["usage"] == {"input_tokens": 6, "output_tokens": 8}
    assert (turn["model"], turn["duration"]) == ("gpt-5", 3.0)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(MESSAGES).encode(),
        json.dumps({"messages": MESSAGES}).encode(),
        "\n".join(map(json.dumps, MESSAGES)).encode(),
        json.dumps({"messages": MESSAGES}).encode() + b"\n\n",
    ],
    ids=["list", "object", "lines", "line"],
)
def test_openai_messages_become_a_conversation(converter, content):
    assert said(converter.one("messages.json", content)) == [
        ["system", "Be brief."],
        ["user", "\\%time is no magic, @[a.txt] no file"],
        ["text", "I look."],
        ["tool_call", '{"at": "sea"}'],
        ["tool_result", "blue"],
        ["text", "It is *blue*."],
        ["user", "Thanks"],
        ["text", "Welcome."],
    ]


def test_each_line_of_training_data_is_a_conversation(converter):
    lines = [json.dumps({"messages": MESSAGES[start:]}) for start in (0, 5)]

    notebooks = converter.into("train.jsonl", "\n".join(lines).encode())

    assert [len(notebook["cells"]) for notebook in notebooks.values()] == [1, 3]
    assert list(notebooks) == ["chat-2.msg.md", "chat.msg.md"]


def test_an_answer_with_no_prompt_above_it_stays(converter):
    texts = [{"role": "assistant", "content": "Hello!"}, {"role": "user", "content": "Hi"}]

    assert said(converter.one("a.json", texts)) == [["assistant", "Hello!"], ["user", "Hi"]]


def test_one_chat_can_be_any_form_and_several_need_a_folder(converter, capsys):
    path = converter.file("one.json", MESSAGES)
    assert main(["convert", str(path), "chat.ipynb"]) == 0
    assert main(["convert", str(path), "chat.mtm"]) == 0
    assert main(["convert", "chat.mtm", "--out", "out", "--to", "ipynb"]) == 0
    assert (converter.folder / "out" / "chat.ipynb").exists()

    path = converter.file("two.json", [chatgpt(), chatgpt()])
    assert main(["convert", str(path), "two.msg.md"]) == 2
    assert "expected one chat, found 2" in capsys.readouterr().err
    assert not (converter.folder / "two.msg.md").exists()


def test_other_branches_stand_beside_the_file_that_is_named(converter):
    path = converter.file("conversations.json", [chatgpt()])

    assert main(["convert", str(path), "tides.msg.md"]) == 0

    assert len(read(converter.folder / "tides-fork.msg.md")["cells"]) == 1


def test_a_second_import_replaces_nothing_unless_it_is_forced(converter, capsys):
    path = converter.file("one.json", MESSAGES)
    assert main(["convert", str(path), "chat.msg.md"]) == 0
    before = (converter.folder / "chat.msg.md").read_bytes()
    assert main(["convert", str(path), "chat.msg.md"]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["convert", str(path), "chat.msg.md", "--force"]) == 0
    assert (converter.folder / "chat.msg.md").read_bytes() == before

    assert len(converter.into("one.json", MESSAGES)) == 1
    assert len(converter.into("one.json", MESSAGES)) == 2
