"""Files of other programs that are wrong, cut off or hostile: an error names the place, and nothing is written."""

from __future__ import annotations

import json
import os
from collections import deque
from copy import deepcopy

import pytest
from other_programs import (
    MESSAGES,
    PNG,
    TWO_GPT,
    archive,
    chatgpt,
    claude,
    jupyter_ai,
    llm_rows,
    node,
)

from msgbook.__main__ import main
from msgbook.extras.other_chats import archives
from msgbook.extras.other_chats.chat import find_branches
from msgbook.extras.other_chats.fields import TooMuchError
from msgbook.extras.other_chats.json_text import load
from msgbook.extras.other_chats.read import read_chats
from msgbook_format.turn import turn_of


def changed(value, *keys, to):
    """Return a copy of a value in which what the keys lead to is another value."""
    value = deepcopy(value)
    inner = value
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = to
    return value


TWO_CLAUDE = [claude(), claude()]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "expected a chat, found none"),
        (5, "expected a list in `the file`, found a number"),
        ({"a": 1}, "found an object with 'a'"),
        ([[]], "expected an object in `[0]`, found a list"),
        (changed(jupyter_ai(), "messages", 1, "body", to=[]), "`messages[1].body`, found a list"),
        (changed(jupyter_ai(), "users", to=[]), "expected an object in `users`, found a list"),
        (changed(MESSAGES, 2, "role", to="\x1b[31mred"), "`messages[2].role`, found "),
        (changed(MESSAGES, 2, "tool_calls", 0, to="x"), "`messages[2].tool_calls[0]`, found a text"),
        (changed(MESSAGES, 3, "content", to=5), "expected a list in `messages[3].content`, found a number"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_type_is_named_by_its_place(refused, value, words):
    assert words in refused("chats.json", value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (changed(TWO_GPT, 1, "mapping", to=[]), "expected an object in `[1].mapping`, found a list"),
        (changed(TWO_GPT, 1, "mapping", "a1", to=7), "in `[1].mapping['a1']`, found a number"),
        (changed(TWO_GPT, 1, "mapping", "a1", "message", to=[]), "mapping['a1'].message`, found a list"),
        (
            changed(TWO_GPT, 0, "mapping", "a2", "message", "author", "role", to="boss"),
            "expected one of system, user, assistant, tool in `[0].mapping['a2'].message.author.role`, found 'boss'",
        ),
        (
            changed(TWO_GPT, 0, "mapping", "a2", "message", "content", "parts", 0, to=5),
            "expected an object in `[0].mapping['a2'].message.content.parts[0]`, found a number",
        ),
        (changed(TWO_GPT, 0, "title", to={}), "expected a text in `[0].title`, found an object"),
        (changed(TWO_GPT, 0, "mapping", "s", "parent", to="a1"), "found a circle"),
        (changed(TWO_GPT, 0, "mapping", "s", "parent", to="s"), "`[0].mapping['s'].parent`, found a circle"),
        (changed(TWO_CLAUDE, 1, "chat_messages", to=None), "expected a list in `[1].chat_messages`, found nothing"),
        (
            changed(TWO_CLAUDE, 1, "chat_messages", 1, "sender", to="robot"),
            "expected human or assistant in `[1].chat_messages[1].sender`, found 'robot'",
        ),
        (
            changed(TWO_CLAUDE, 1, "chat_messages", 1, "content", 3, "text", to=1.5),
            "expected a text in `[1].chat_messages[1].content[3].text`, found a number",
        ),
        (changed(llm_rows(), 1, "tool_results", to={}), "expected a list in `[1].tool_results`"),
        (changed(llm_rows(), 2, "prompt", to=False), "`[2].prompt`, found true or false"),
    ],
)  # fmt: skip
def test_of_one_bad_chat_among_good_ones_the_place_is_named_and_the_rest_is_written(
    left_out, value, words
):
    assert words in left_out("chats.json", value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "found an empty file"),
        (b"\xff\x00", "expected JSON in UTF-8, found byte 0xff at offset 0"),
        (b"\xff\xfe\x00", "expected JSON in UTF-16, found byte 0x00 at offset 2"),
        (b"hello", "found an error in line 1, column 1"),
        (json.dumps(TWO_GPT[:1]).encode()[:-40], "found an error in line 1"),
        (json.dumps(TWO_GPT[0], indent=1).encode()[:-40], "found an error in line "),
        (json.dumps(MESSAGES).encode()[:-40], "found an error in line 1"),
        (b"[" * 100_000 + b"]" * 100_000, "at most 200 levels"),
        (b'{"messages": ' + b"[" * 300 + b"]" * 300 + b"}", "at most 200 levels"),
        (b'{"role": "user", "content": "a"}\n{"role": "x"}\n', "`line[1].role`, found 'x'"),
    ],
)  # fmt: skip
def test_text_that_is_not_the_json_that_it_should_be_is_named_by_its_line(refused, content, words):
    assert words in refused("chats.json", content)


CHAT = b'{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}'


PADDING = [" \t\r\n", "\f\v", "\x00" * 9, "\u00a0", "\u2028\u3000", "\n\x00\f\x00 \x85"]


@pytest.mark.parametrize("padding", PADDING)
def test_white_space_and_zeros_around_the_json_say_nothing(padding):
    around = padding.encode()

    assert load(around + CHAT + around) == (json.loads(CHAT), False)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (CHAT + b'\n{"messages": [}\n', "line 2, column 15"),
        (CHAT + b'\n\n{"messages": [\n' + CHAT, "line 3, column 15"),
        (b'{"messages": [}\n' + CHAT, "line 1, column 15"),
        (CHAT + b'\n{"messages": [{"role": "x"}]}\n', "`line 2.messages[0].role`, found 'x'"),
        (CHAT + b"\n[]\n", "expected an object in `line 2`, found a list"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_chat_is_named_and_the_others_are_written(left_out, content, words):
    assert words in left_out("chats.jsonl", content)


EXPORTS = {
    "ChatGPT": [chatgpt("Tides"), chatgpt("Sea"), chatgpt("Wind")],
    "Claude": [claude(), claude(), claude()],
    "OpenAI": [{"messages": MESSAGES, "tags": None}] * 3,
}
NOT_IN_JSON = [b"NaN", b"-Infinity", b"1e999", b"9" * 5000]
DAMAGES = {
    "a mark is missing": lambda text: text.replace('":', '"', 1),
    "an end is missing": lambda text: text[:-1],
    "it is cut": lambda text: text[: len(text) // 2],
    "it is cut in a text": lambda text: text[: text.rindex('"')],
    "a comma too many": lambda text: text[:-1] + ",}",
    "an escape that is none": lambda text: text.replace('": "', '": "\\x', 1),
    "a word": lambda text: text.replace("null", "None", 1) if "null" in text else f"{text[:-1]},}}",
    "an end too many": lambda text: text + "}",
}


@pytest.mark.parametrize("number", NOT_IN_JSON)
@pytest.mark.parametrize("program", EXPORTS)
def test_a_number_that_json_does_not_have_is_nothing(converter, number, program):
    chats = changed(EXPORTS[program], 1, "weight", to=None)
    data = json.dumps(chats).encode()
    with_number = data.replace(b'"weight": null', b'"weight": ' + number)

    first = read_chats(converter.file("a.zip", archive({"conversations.json": data})))
    second = read_chats(converter.file("b.zip", archive({"conversations.json": with_number})))

    assert with_number != data
    assert first == second
    assert first.unread == []


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("program", EXPORTS)
def test_a_damaged_chat_of_a_list_is_named_and_the_others_are_read(
    converter, program, damage, indent
):
    whole = [json.dumps(chat, indent=indent) for chat in EXPORTS[program]]
    chats = read_chats(converter.file("a.json", f"[{','.join(whole)}]".encode())).chats
    for place in range(3):
        items = whole.copy()
        items[place] = damage(items[place])
        path = converter.file("a.json", f"[{','.join(items)}]".encode())

        found = read_chats(path)

        assert found.chats == [chat for number, chat in enumerate(chats) if number != place]
        assert len(found.unread) == 1
        assert "expected JSON, found an error in line" in found.unread[0]


@pytest.mark.parametrize("as_lines", [False, True])
@pytest.mark.parametrize(
    "byte", [b"\xff", b"\xe9", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\x80" * 500]
)
@pytest.mark.parametrize("program", EXPORTS)
def test_a_byte_that_is_no_utf_8_refuses_the_chat_that_it_stands_in(
    converter, program, byte, as_lines
):
    whole = [json.dumps(chat).encode() for chat in EXPORTS[program]]

    def framed(items):
        return b"\n".join(items) if as_lines else b"[" + b",".join(items) + b"]"

    chats = read_chats(converter.file("a.json", framed(whole))).chats
    for place in range(3):
        items = whole.copy()
        items[place] = items[place].replace(b'": "', b'": "' + byte, 1)
        for name, content in (
            ("a.json", framed(items)),
            ("a.zip", archive({"conversations.json": framed(items)})),
        ):
            found = read_chats(converter.file(name, content))

            assert found.chats == [chat for number, chat in enumerate(chats) if number != place]
            assert len(found.unread) == 1
            assert f"expected JSON in UTF-8, found byte 0x{byte[0]:02x}" in found.unread[0]


def test_a_download_that_was_cut_off_gives_the_chats_before_the_cut(left_out):
    data = json.dumps(TWO_GPT).encode()

    assert "found an error in line 1" in left_out("chats.json", data[:-40])


def test_what_stands_behind_a_list_is_said_and_the_list_is_read(left_out):
    assert "Extra data" in left_out("chats.json", json.dumps(TWO_GPT).encode() + b"garbage")


def test_nothing_of_a_chat_runs_when_it_is_imported_and_none_is_a_command_afterwards(
    converter, capsys
):
    texts = [
        "!touch owned",
        "%%bash\ntouch owned",
        "%run x.py",
        "\\ odd",
        "%%msg agent=root",
        "@[py:x]",
    ]
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "shell", "arguments": '{"command": "touch owned"}'},
    }
    messages = [{"role": "user", "content": text} for text in texts]
    messages += [{"role": "assistant", "content": None, "tool_calls": [call]}]
    converter.one("a.json", messages)
    capsys.readouterr()

    assert main(["list", "chat.msg.md"]) == 0
    assert [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()] == ["prompt"] * 6
    assert main(["convert", "chat.msg.md", "--to", "openai-messages"]) == 0
    back = json.loads(capsys.readouterr().out)
    assert [m["content"] for m in back if m["role"] == "user"] == texts
    assert not (converter.folder / "owned").exists()


def test_branches_that_together_would_fill_the_disk_are_counted_and_left_out():
    parents = {"0": None} | {str(n): str(n - 1) for n in range(1, 3000)}
    parents |= {f"leaf {n}": str(n) for n in range(2999)}

    found = find_branches(parents, "2999", "mapping")

    assert found.shown == [str(n) for n in range(3000)]
    assert found.others[0] == ["0", "leaf 0"]
    assert sum(map(len, found.others)) < 25 * len(parents)
    assert len(found.others) + found.left_out == 2999


def test_branches_that_repeat_a_long_message_are_left_out_when_they_would_fill_the_disk(
    converter, capsys
):
    long = [node("u", None, "user", "long " * 400_000)]
    answers = [node(f"a{n}", "u", "assistant", f"{n}") for n in range(60)]

    notebooks = converter.into("a.json", [chatgpt("Long", *long, *answers)])

    assert 10 < len(notebooks) < 40
    left_out = 60 - len(notebooks)
    assert f"{left_out} other branches are left out: there are too many" in capsys.readouterr().err


def test_marks_whose_links_hold_marks_do_not_grow(converter):
    double = {"matched_text": "\u3010", "alt": "\u3010" * 2}
    long = {"matched_text": "\ue200", "alt": "a" * 100_000}
    answers = [
        node("a", "u", "assistant", "\u3010", metadata={"content_references": [double] * 60}),
        node("b", "a", "assistant", "\ue200" * 1000, metadata={"content_references": [long]}),
    ]

    notebook = converter.one("a.json", [chatgpt("X", node("u", None, "user", "Hi"), *answers)])

    (turn,) = map(turn_of, notebook["cells"][0]["outputs"])
    assert [block["text"] for block in turn["blocks"]] == ["\u3010" * 2, "\ue200" * 1000]


def test_an_image_that_is_shown_again_and_again_is_unpacked_once_and_not_without_end(converter):
    picture = PNG + bytes(4_900_000)
    path = converter.file("a.zip", archive({"file_1.png": picture}))

    with archives.Archive(path) as opened:
        assert opened.asset("file_1") == picture
        assert opened.asset("file_1") is opened.asset("file_1")
        with pytest.raises(TooMuchError, match=r"images of at most 500,[0-9,]+ bytes"):
            deque((opened.asset("file_1") for _ in range(110)), maxlen=0)


def test_nothing_is_written_through_a_link_in_the_folder(converter, capsys):
    image = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
    files = {"conversations.json": [chatgpt("A", node("u", None, "user", image))]}
    converter.file("export.zip", archive({**files, "file_1.png": PNG}))
    for name in ("out", "away"):
        (converter.folder / name).mkdir()
    (converter.folder / "out" / "attachments").symlink_to("../away")

    assert main(["convert", "export.zip", "--out", "out"]) == 2

    assert "found a link: out/attachments. Nothing was written." in capsys.readouterr().err
    assert [*(converter.folder / "away").iterdir()] == []
    assert [one.name for one in (converter.folder / "out").iterdir()] == ["attachments"]


def test_if_a_file_cannot_be_written_those_before_it_are_removed(converter, capsys):
    files = {"conversations.json": [chatgpt("A"), chatgpt("B" * 70)]}
    path = converter.file("export.zip", archive(files))
    out = converter.folder / "out"
    out.mkdir()
    (out / "attachments").write_bytes(b"")
    image = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
    picture = node("u", None, "user", image)
    files["conversations.json"].append(chatgpt("C", picture))
    path.write_bytes(archive({**files, "file_1.png": PNG}))

    assert main(["convert", str(path), "--out", "out"]) == 2

    assert [one.name for one in out.iterdir()] == ["attachments"]
    assert "Nothing was written." in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_or_a_folder_or_no_file_is_refused_at_once(converter, capsys):
    os.mkfifo(converter.folder / "pipe.json")
    for name in ("pipe.json", ".", "gone.json"):
        assert main(["convert", name, "--out", "out"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert not (converter.folder / "out").exists()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["a.json"], "expected NEW, the file to write, or a folder: --out DIR"),
        (["a.json", "b.msg.md", "--out", "c"], "expected NEW or --out, found both"),
        (["a.json", "b.msg.md", "--to", "ipynb"], "expected a name that ends with .ipynb"),
        (["a.json", "b.txt"], "expected a name that ends with .msg.md"),
        (["a.json", "b.msg.md", "--system-prompt"], "--system-prompt is for OpenAI messages"),
    ],
)
def test_arguments_that_do_not_say_what_to_write_are_refused(converter, capsys, argv, words):
    converter.file("a.json", MESSAGES)

    assert main(["convert", *argv]) == 2

    assert words in capsys.readouterr().err
    assert [one.name for one in converter.folder.iterdir()] == ["a.json"]
