"""The database of `llm`, of old and new versions, and databases that are something else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from copy import deepcopy

import pytest
from other_programs import LLM_ROWS, llm_database, said

from msgbook.__main__ import main
from msgbook_format import read
from msgbook_format.turn import turn_of


@pytest.fixture
def convert(converter, capsys):
    def into():
        code = main(["convert", "logs.db", "--out", "out"])
        return code, capsys.readouterr().err

    return into


def test_new_threads_and_older_responses_become_conversations(converter, convert):
    before = llm_database(converter.folder / "logs.db")

    assert convert()[0] == 0

    out = converter.folder / "out"
    assert (converter.folder / "logs.db").read_bytes() == before
    names = sorted(path.name for path in out.glob("*.md"))
    assert names == ["Old.msg.md", "Shout-fork.msg.md", "Shout.msg.md"]
    (image,) = (out / "attachments").iterdir()
    assert said(read(out / "Shout.msg.md")) == [
        ["system", "Be loud."],
        ["user", f"Read this.\nShout panda\n\n![image](attachments/{image.name})"],
        ["reasoning", "Upper case it is."],
        ["tool_call", '{"text": "panda"}'],
        ["tool_result", "PANDA"],
        ["text", "PANDA!"],
    ]
    (tool,) = read(out / "Shout.msg.md")["metadata"]["msgbook"]["imported"]["tools"]
    assert (tool["function"]["name"], tool["function"]["description"]) == ("upper", "Upper case.")
    assert said(read(out / "Shout-fork.msg.md"))[-1] == ["text", "Panda, loudly."]
    assert said(read(out / "Old.msg.md")) == [
        ["user", "Read this.\nHi"],
        ["text", "Hello"],
        ["tool_call", "{}"],
    ]
    turn = turn_of(read(out / "Shout.msg.md")["cells"][1]["outputs"][0])
    assert (turn["model"], turn["duration"]) == ("gpt-5", 3.0)
    assert turn["usage"] == {"input_tokens": 6, "output_tokens": 8}


def test_a_database_that_is_older_than_tools_is_read(converter, convert):
    columns = "id TEXT, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id TEXT, datetime_utc TEXT"
    with closing(sqlite3.connect(converter.folder / "logs.db")) as connection:
        connection.execute(f"CREATE TABLE responses ({columns})")
        connection.execute(
            "INSERT INTO responses VALUES ('1', 'm', 'Hi', NULL, 'Hello', NULL, NULL)"
        )
        connection.commit()

    assert convert()[0] == 0

    notebook = read(converter.folder / "out" / "chat.msg.md")
    assert said(notebook) == [["user", "Hi"], ["text", "Hello"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data[:16] + b"rubbish" * 99, "expected a database of `llm`, found: "),
        (lambda data: data[: len(data) // 2], "expected a database of `llm`, found: "),
        (lambda data: data[:4096] + bytes(len(data) - 4096), "found: "),
    ],
)
def test_what_is_no_database_or_a_broken_one_is_refused(converter, convert, change, words):
    path = converter.folder / "logs.db"
    path.write_bytes(change(llm_database(path)))

    code, error = convert()

    assert code == 2
    assert words in error
    assert "Nothing was written." in error
    assert not (converter.folder / "out").exists()


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"parts": "id INTEGER, text TEXT"}, "expected the column `message_hash` in the table `parts`"),
        ({"messages": ""}, "expected the column `hash` in the table `messages`"),
        ({"turns": "", "responses": ""}, "expected the tables `turns` or `responses` of `llm`, found neither"),
        ({"turns": "", "responses": "id TEXT"}, "expected the column `model` in the table `responses`"),
    ],
)  # fmt: skip
def test_a_database_with_other_columns_is_refused(converter, convert, tables, words):
    llm_database(converter.folder / "logs.db", {}, **tables)

    code, error = convert()

    assert (code, words in error) == (2, True)


def changed(table, number, **values):
    rows = deepcopy(LLM_ROWS)
    rows[table][number] |= values
    return rows


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (changed("messages", 0, parent_hash="a2"), "found a circle"),
        (changed("messages", 2, role="robot"), "`messages['a1'].role`, found 'robot'"),
        (changed("parts", 4, payload="{"), "expected a JSON object in `parts[5].payload`"),
        (changed("parts", 4, payload="[" * 5000), "expected a JSON object in `parts[5].payload`"),
        (changed("parts", 0, text=b"\xff\x00"), "expected a text in `parts[1].text`, found bytes"),
        (
            changed("responses", 1, prompt=b"x"),
            "expected a text in `responses[0].prompt`, found bytes",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_named_by_its_place(converter, convert, rows, words):
    llm_database(converter.folder / "logs.db", rows)

    code, error = convert()

    assert (code, words in error) == (1, True)
    assert len(list((converter.folder / "out").glob("*.md"))) >= 1


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            {"responses": LLM_ROWS["responses"][1:],
             "prompt_fragments": [{"response_id": "r0", "fragment_id": 1}] * 501},
            "500,000,000 characters in `prompt_fragments`, found more",
        ),
        (
            {**LLM_ROWS, "parts": [{"message_hash": "u1", "type": "text",
                                    "payload": json.dumps({"text_ref": [{"fragment": 1}] * 501})}]},
            "500,000,000 characters in `fragments`, found more",
        ),
    ],
)  # fmt: skip
def test_a_fragment_that_is_used_again_and_again_does_not_fill_the_memory(
    converter, convert, rows, words
):
    fragment = {"id": 1, "content": "f" * 1_000_000}
    llm_database(converter.folder / "logs.db", {**rows, "fragments": [fragment]})

    code, error = convert()

    assert words in error
    assert code in (1, 2)


def test_no_log_is_left_beside_a_database_and_what_is_in_a_log_is_read(converter, convert):
    path = converter.folder / "logs.db"
    llm_database(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE conversations SET name = 'In the log'")
        connection.commit()
        assert convert()[0] == 0
    assert [one.name for one in converter.folder.iterdir() if one.is_file()] == ["logs.db"]
    assert (converter.folder / "out" / "In the log.msg.md").exists()

    assert convert()[0] == 0

    assert [one.name for one in converter.folder.iterdir() if one.is_file()] == ["logs.db"]


def test_code_in_the_database_is_not_run(converter, convert):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS id FROM n"
    path = converter.folder / "logs.db"
    llm_database(path, {}, turns="", responses="")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE VIEW responses AS {endless}")
        connection.execute(f"CREATE VIEW turns AS {endless}")

    code, error = convert()

    assert code == 2
    assert "found neither" in error
