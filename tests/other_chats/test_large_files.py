"""What a file of another program may take is bounded by what is read of it, and the bound is said in words."""

from __future__ import annotations

import json
import sqlite3
from collections import deque

import pytest
from other_programs import LLM_ROWS, PNG, archive, llm_database

from msgbook.__main__ import main
from msgbook.errors import MsgbookError
from msgbook.extras.other_chats import json_text, read
from msgbook.extras.other_chats import llm_database as database
from msgbook.extras.other_chats.archives import Folder
from msgbook.extras.other_chats.chat import MOST_KEPT
from msgbook.extras.other_chats.fields import TooMuchError, Unread
from msgbook.extras.other_chats.read import read_chats

MESSAGE = '{"role":"user","content":"a"}'
MANY = read.MOST_MESSAGES + 1


def mapping(count):
    return "{" + ",".join(f'"{n}":{{}}' for n in range(count)) + "}"


CHATS = {
    "messages": f"[{','.join([MESSAGE] * MANY)}]",
    "messages of a chat": f'{{"messages":[{",".join([MESSAGE] * MANY)}]}}',
    "lines": "\n".join([f'{{"messages":[{",".join([MESSAGE] * 1001)}]}}'] * (MANY // 1000)),
    "ChatGPT": f'[{{"mapping":{mapping(MANY)}}}]',
    "Claude": f'[{{"chat_messages":[{",".join(["{}"] * MANY)}]}}]',
    "empty chats": "[" + '{"messages":[]},' * 10 + '{"messages":5},' * MANY + "5]",
    "llm": "[" + ",".join(['{"prompt":"a","response":"b"}'] * MANY) + "]",
    "values": "[" + "[]," * (json_text.MOST_VALUES // 2 + 1) + "[]]",
    "objects": "[" + "{}," * (json_text.MOST_VALUES // 2 + 1) + "{}]",
    "lines of nothing": f"{MESSAGE}\n" + "\n" * (json_text.MOST_VALUES + 1) + MESSAGE,
}


@pytest.mark.parametrize("kind", CHATS)
@pytest.mark.parametrize("packed", [False, True])
def test_too_much_is_refused_in_words_before_a_message_is_made(tmp_path, kind, packed):
    data = CHATS[kind].encode()
    path = tmp_path / "a.zip"
    path.write_bytes(archive({"conversations.json": data}) if packed else data)

    with pytest.raises(
        MsgbookError, match=r"expected .*(at most|packed)|expected chats in|found a number"
    ):
        read_chats(path)


@pytest.mark.parametrize("kind", ["values", "objects", "lines of nothing", "messages"])
def test_what_is_too_large_names_a_remedy(kind):
    with pytest.raises(MsgbookError, match=r"found more\. Export fewer chats at once$"):
        read.chats_of(json_text.load(CHATS[kind].encode())[0], Unread())


def test_a_text_of_too_many_bytes_names_a_remedy():
    with pytest.raises(MsgbookError, match=r"found 400,000,001\. Export fewer chats at once$"):
        json_text.load(b" " * (json_text.MOST_BYTES + 1))


def test_the_files_of_an_archive_share_the_messages(tmp_path):
    half = [{"messages": [{"role": "user", "content": "a"}] * (MANY // 2 + 1)}]
    files = {f"conversations-{number}.json": half for number in (1, 2)}
    path = tmp_path / "a.zip"
    path.write_bytes(archive(files))

    with pytest.raises(MsgbookError, match="messages in all chats"):
        read_chats(path)


def unpacked(folder, files):
    folder.mkdir()
    for name, chats in files.items():
        (folder / name).write_text(json.dumps(chats))
    return folder


def test_the_files_of_a_folder_share_the_messages_like_those_of_an_archive(tmp_path):
    half = [{"messages": [{"role": "user", "content": "a"}] * (MANY // 2 + 1)}]
    files = {f"conversations-{number}.json": half for number in (1, 2)}

    with pytest.raises(MsgbookError, match="messages in all chats"):
        read_chats(unpacked(tmp_path / "export", files))


def test_a_folder_has_the_bounds_of_an_archive(tmp_path):
    folder = unpacked(tmp_path / "export", {"conversations.json": []})
    for number in (1, 2, 3):
        # Files with holes take no room on the disk.
        with (folder / f"conversations-{number}.json").open("wb") as file:
            file.truncate(json_text.MOST_BYTES - 1)

    with pytest.raises(TooMuchError, match="conversations of at most"):
        read_chats(folder)


def test_a_file_that_is_too_large_leaves_the_others_of_a_folder(tmp_path):
    chat = {"messages": [{"role": "user", "content": "a"}]}
    folder = unpacked(tmp_path / "export", {"conversations.json": [chat]})
    with (folder / "conversations-1.json").open("wb") as file:
        file.truncate(json_text.MOST_BYTES + 1)

    found = read_chats(folder)

    assert len(found.chats) == 1
    (reason,) = found.unread
    assert "`conversations-1.json` cannot be read" in reason


def test_images_of_a_folder_are_not_shown_without_end(tmp_path):
    folder = unpacked(tmp_path / "export", {"conversations.json": []})
    (folder / "file_1.png").write_bytes(PNG + bytes(4_900_000))

    opened = Folder(folder)

    with pytest.raises(TooMuchError, match=r"images of at most 6[0-9]{2},[0-9,]+ bytes"):
        deque((opened.asset("file_1") for _ in range(140)), maxlen=0)


@pytest.mark.parametrize("bad", ["5", '{"a":1}', "x"])
def test_parts_that_are_no_chats_are_counted_too(tmp_path, bad):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"messages":[{MESSAGE}]}}\n' + f"{bad}\n" * MANY)

    with pytest.raises(MsgbookError, match=r"at most [\d,]+ (messages|chats)|expected JSON"):
        read_chats(path)


def test_a_table_with_too_many_rows_is_refused(tmp_path):
    path = tmp_path / "logs.db"
    llm_database(path, LLM_ROWS)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) "
            "INSERT INTO parts (message_hash, position) SELECT 'a', 0 FROM n",
            [database._MOST_ROWS + 1],
        )

    with pytest.raises(MsgbookError, match="rows in `parts`"):
        read_chats(path)


def test_a_database_whose_columns_are_made_by_code_is_refused(tmp_path):
    path = tmp_path / "logs.db"
    columns = "id INTEGER PRIMARY KEY, hash TEXT, content TEXT AS (hex(zeroblob(100000000)))"
    rows = {**LLM_ROWS, "fragments": [{"id": 1}]}
    llm_database(path, rows, fragments=columns)

    with pytest.raises(MsgbookError, match="expected the column `content`"):
        read_chats(path)


def test_the_command_says_it_and_writes_nothing(tmp_path, capsys):
    path = tmp_path / "a.zip"
    path.write_bytes(archive({"conversations.json": json.loads(CHATS["messages"])}))

    assert main(["convert", str(path), "--out", str(tmp_path / "out")]) == 2

    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_too_many_chats_are_refused_though_each_is_small(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("[" + ",".join([f'{{"messages":[{MESSAGE}]}}'] * (read.MOST_CHATS + 1)) + "]")

    with pytest.raises(
        MsgbookError, match=r"at most 50,000 chats, found more\. Export fewer at once"
    ):
        read_chats(path)


MORE = {f"k{number}": number for number in range(MOST_KEPT + 1)}
USER, ANSWER = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}


@pytest.mark.parametrize(
    "chat",
    [
        {"messages": [USER | MORE, ANSWER]},
        {"messages": [USER, ANSWER], **MORE},
        {"messages": [USER | {"x": [[one] for one in MORE]}, ANSWER]},
        {"messages": [USER | {"x": MORE}] * 5 + [ANSWER]},
        {"chat_messages": [{"sender": "human", "text": "hi", **MORE}, {"sender": "assistant", "text": "ho"}]},
    ],
)  # fmt: skip
def test_a_chat_keeps_a_bounded_number_of_further_values_and_says_so(tmp_path, chat, capsys):
    path, new = tmp_path / "a.json", tmp_path / "new.msg.md"
    path.write_text(json.dumps(chat))

    assert main(["convert", str(path), str(new)]) == 0

    assert "metadata of more than 50,000 values is left out" in capsys.readouterr().err
    text = new.read_text("utf-8")
    assert "hi" in text
    assert "ho" in text
    assert len(text) < 100_000
