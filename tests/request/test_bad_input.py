"""Problems in a prompt or notebook are notices, and the turn goes on with the rest."""

from __future__ import annotations

import pytest
from scripted_server import Answer, delta, text
from talk import content_reference, notices

from msgbook.messages import encode


def files(talk):
    return content_reference(talk.sent()[-1])["files"]


def test_an_unclosed_tag_is_a_notice_with_its_line(talk):
    (talk.folder / "a.txt").write_text("A")

    turn = talk.ask("See @[a.txt]\nand @[b.txt")

    assert (turn["status"], files(talk)) == ("done", {"a.txt": "A"})
    [words] = notices(turn)
    assert "Line 2" in words
    assert "@[b.txt" in words


@pytest.mark.parametrize("blank", ["", "\n"])
def test_lines_are_those_of_the_cell(talk, blank):
    cell = f"{blank}%%msg agent=assistant\n\nand @[b.txt\n@{{define X, x"

    turn = talk.ask(cell)

    told = [words.split(":")[0] for words in notices(turn)]
    assert told == [f"Line {4 + len(blank)}", f"Line {3 + len(blank)}"]


@pytest.mark.parametrize(
    ("line", "column"),
    [("agent='a b'", 7), (r"agent=a\ b", 16), ("model=m model=n", 15), ("history = none", 7)],
)
def test_a_msg_line_that_cannot_be_read_is_an_error_and_nothing_is_sent(talk, line, column):
    turn = talk.ask(f"%%msg {line}\nHi")

    [error] = [block for block in turn["blocks"] if block["type"] == "error"]
    assert error["name"] == "UnreadableMsgLineError"
    assert f"line 1 cannot be read, so nothing was sent: column {column}:" in error["message"]
    assert talk.server.requests == []


@pytest.mark.parametrize(
    "line",
    [
        "history='exclude'",
        'history="exclude',
        "history=include history=exclude",
        "history= exclude",
    ],
)
def test_a_message_whose_line_cannot_be_read_is_not_sent_with_later_messages(talk, line):
    (talk.folder / "a.txt").write_text("{{WORD}}")
    talk.add(f"%%msg {line}\n#define WORD private\nprivate words")

    turn = talk.ask("Read @[a.txt].")

    assert "private" not in str(talk.sent())
    [words] = [words for words in notices(turn) if "%%msg" in words]
    assert "cell 1" in words
    assert "column" in words


def test_files_that_name_each_other_are_each_sent_once(talk):
    (talk.folder / "a.md").write_text("A, see @[b.md]")
    (talk.folder / "b.md").write_text("B, see @[a.md]")

    turn = talk.ask("Read @[a.md].")

    assert set(files(talk)) == {"a.md", "b.md"}
    assert any("a.md -> b.md -> a.md" in words for words in notices(turn))


def test_a_macro_that_contains_itself_is_named(talk):
    (talk.folder / "a.md").write_text("See {{X}}.")

    turn = talk.ask("#define X one {{Y}}\n#define Y two {{X}}\nRead @[a.md].")

    assert turn["status"] == "done"
    assert any("contains itself" in words and "X" in words for words in notices(turn))


def test_a_file_of_ten_gigabytes_is_named_and_not_read(talk):
    with (talk.folder / "huge.log").open("wb") as file:
        file.truncate(10_000_000_000)

    turn = talk.ask("See @[huge.log].")

    assert turn["status"] == "done"
    assert "10,000,000,000 bytes" in files(talk)["huge.log"]
    assert len(encode(talk.sent()[-1])) < 1000


def test_a_binary_file_is_named(talk):
    (talk.folder / "a.bin").write_bytes(b"\0\1\2" * 100)

    talk.ask("See @[a.bin].")

    assert "binary" in files(talk)["a.bin"]


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "gb18030"])
def test_a_file_in_any_encoding_is_sent_as_text(talk, encoding):
    words = "naïve" if encoding == "latin-1" else "对话 naïve"
    (talk.folder / "a.txt").write_bytes(f"{words}\r\n".encode(encoding))

    turn = talk.ask("See @[a.txt].")

    assert turn["status"] == "done"
    assert isinstance(files(talk)["a.txt"], str)


def test_texts_of_a_cell_that_are_gone_are_named_in_one_notice(talk):
    for number in range(7):
        (talk.folder / f"{number}.py").write_text(f"{number}")
    talk.ask("Compare @[*.py].")
    for file in [*(talk.folder / ".msgbook" / "blobs").iterdir(), *talk.folder.glob("*.py")]:
        file.unlink()

    turn = talk.ask("And now?")

    assert turn["status"] == "done"
    (told,) = notices(turn)
    assert told.startswith("Missing from .msgbook/blobs")
    assert "0.py (cell 1)" in told
    assert "4.py (" in told
    assert "5.py" not in told
    assert " and 2 more." in told
    assert told.endswith("name it in your next message.")


def test_many_cells_that_are_left_out_are_few_notices_and_are_told_once(talk):
    for _ in range(1000):
        talk.add("Hello.", metadata={"msgbook": {"history": "maybe"}})

    told = notices(talk.ask("And now?"))

    assert len(told) == 21
    assert "cell 1 (Hello.) is not sent" in told[0]
    assert told[-1].startswith("980 more warnings")


def test_of_two_cells_with_one_id_both_are_sent(talk):
    talk.add("One.", "markdown", id="same")
    talk.add("Two.", "markdown", id="same")

    talk.ask("Hello.")

    assert [m["content"] for m in talk.sent()[1:]] == ["One.", "Two.", "Hello."]


@pytest.mark.parametrize(
    "context",
    [
        "text",
        {"files": "none"},
        {"files": [{"key": "a", "sha256": "../../etc/passwd", "version": 1}]},
        {"files": [{"key": 1, "sha256": "0" * 64, "version": 1}]},
        {"rules": [None], "tools": {}, "images": [3], "summaries": [1], "macros": 7},
    ],
)
def test_a_context_that_somebody_wrote_breaks_no_later_request(talk, context):
    turn = talk.ask("Hello.")
    turn["context"] = context
    talk.cells[0]["outputs"][0]["data"]["application/vnd.msgbook.turn+json"] = turn

    assert talk.ask("And?")["status"] == "done"
    assert "passwd" not in str(talk.sent())


@pytest.mark.parametrize(
    "ours",
    [
        {"macros": ["X"]},
        {"macros": {"1 bad": "x", "Y": 3}},
        {"rules": 7, "skills": {"a": 1}},
        {"frontmatter": 5},
        {"frontmatter": "agents: [a, b]"},
        {"frontmatter": "agents: {a: {models: {}, tools: 7, rules: {}, context_window: big}}"},
        {"frontmatter": "a: [unclosed"},
        {"agent_metadata": {"allowed_uris": 9}},
        "text",
        None,
    ],
)
def test_metadata_of_any_shape_lets_the_turn_go_on(talk, ours):
    talk.metadata = {"msgbook": ours}

    assert talk.ask("Hello.")["status"] == "done"


def test_a_project_with_odd_files_is_named_and_the_turn_goes_on(talk):
    agents = talk.folder / ".msgbook" / "agents"
    agents.mkdir(parents=True)
    (agents / "a.md").write_bytes(b"\xff\0\xfe" * 50)
    (talk.folder / ".msgbook" / "rules").write_text("a file where a folder should be")
    (talk.folder / "AGENTS.md").symlink_to("/etc/passwd")
    skill = talk.folder / ".agents" / "skills" / "s"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("no frontmatter")

    turn = talk.ask("Hello.")

    assert turn["status"] == "done"
    assert "root:" not in str(talk.sent())
    said = " ".join(notices(turn))
    for name in ("AGENTS.md", ".msgbook/rules", "SKILL.md", "a.md"):
        assert name in said


def test_a_message_like_a_magic_is_sent_with_a_notice(talk):
    turn = talk.ask("%agnet list")

    assert (turn["status"], talk.sent()[-1]["content"]) == ("done", "%agnet list")
    assert any("%agent" in words for words in notices(turn))
    assert notices(talk.ask("%50 of users")) == []


@pytest.mark.parametrize("arguments", ["", " select 1", " --help"])
def test_a_line_like_an_unknown_magic_is_sent_as_a_message_with_a_notice(talk, arguments):
    [said] = notices(talk.ask(f"%sql{arguments}"))

    assert said == "There is no magic %sql: this was sent as a message."


@pytest.mark.parametrize("source", ["%%msg", "%%msg\n", " %%msg history=exclude\n\n"])
def test_an_empty_message_is_no_unknown_magic(talk, source):
    assert notices(talk.ask(source)) == []


def test_a_cell_that_continues_an_answer_is_no_unknown_magic(talk):
    talk.server.answers = [Answer([delta(content="It is")], done=False), text(" 42.")]
    talk.ask("What is it?")

    assert notices(talk.ask("%continue")) == []


@pytest.mark.parametrize("source", ["%50", "% of", "%-50 or so", "%bogus\n\nwhat is it?"])
def test_other_messages_that_begin_with_a_percent_sign_are_plain_messages(talk, source):
    assert notices(talk.ask(source)) == []


def test_an_image_referenced_as_a_file_is_a_notice_with_the_way_to_send_it(talk):
    (talk.folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")

    assert any("![](path)" in words for words in notices(talk.ask("See @[a.png].")))


def test_a_call_whose_arguments_are_not_json_is_a_notice(talk):
    assert any("JSON object" in words for words in notices(talk.ask("@[read{path: 1}]")))


def test_nobody_is_asked_about_a_file_that_is_not_there(talk):
    turn = talk.ask("See @[../missing.txt].")

    assert talk.questions == []
    assert any("no such file" in words for words in notices(turn))


@pytest.mark.parametrize("image", ["![](../missing.png)", "![](../my%20missing.png)"])
def test_nobody_is_asked_about_an_image_that_is_not_there(talk, image):
    turn = talk.ask(image)

    assert talk.questions == []
    assert any("no such file" in words for words in notices(turn))


def test_a_model_that_nobody_serves_is_named(talk):
    talk.env = {}

    turn = talk.ask("%%msg model=gpt-9\nHello.")

    assert turn["model"] == "demo"
    assert any("gpt-9" in words for words in notices(turn))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("colour=red", "%%msg: the unknown attribute colour is ignored."),
        ("agnet=x", "%%msg: the unknown attribute agnet is ignored. Did you mean agent?"),
        ("a1=x b2=y", "%%msg: the unknown attributes a1, b2 are ignored."),
        (
            "histroy=exclude",
            (
                "%%msg: the unknown attribute histroy is ignored. Did you mean history? This message "
                "was sent, and later requests send it too."
            ),
        ),
    ],
)
def test_an_unknown_attribute_is_named_with_the_one_that_may_be_meant(talk, line, told):
    assert notices(talk.ask(f"%%msg {line}\nHi.")) == [told]
