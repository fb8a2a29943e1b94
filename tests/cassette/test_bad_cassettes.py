"""Cassettes that cannot be used: one line that names the file and its line, and the conversation stays as it was."""

from __future__ import annotations

import json
import os

import pytest
from command import with_settings
from scripted_server import Answer, ScriptedServer, call, delta, error, finish, text

from msgbook.__main__ import main
from msgbook.cli.run import run_file

KEY = 'sk-very"secret-0123456789'


@pytest.fixture
def recorded(chat, cassette):
    with ScriptedServer([call("glob", {"pattern": "*"}), text("hello")]) as server:
        assert with_settings(server, run_file, chat, cassette=cassette) == 0
    return cassette.read_text("utf-8").splitlines()


def replay(chat, cassette, capsys):
    """The exit code of a replay and its words, after which the conversation is as it was."""
    before = chat.read_bytes()
    code = main(["run", str(chat), "--replay", str(cassette)])
    assert chat.read_bytes() == before
    words = capsys.readouterr().err
    assert "Traceback" not in words
    return code, words


def change(line, **keys):
    return json.dumps({**json.loads(line), **keys})


BAD_LINES = {
    "not JSON": (2, lambda line: line[:-9], "line 2: expected JSON"),
    "not an object": (2, lambda _: "[]", "line 2: expected a JSON object"),
    "another version": (
        1,
        lambda line: change(line, cassette=2),
        "line 1: expected a cassette of version 1",
    ),
    "no head": (1, lambda _: '{"lane": "0"}', "line 1: expected the head of a cassette"),
    "bad settings": (
        1,
        lambda line: change(line, settings={"providers": [7]}),
        "line 1: the settings cannot be used",
    ),
    "unknown kind": (
        2,
        lambda _: '{"lane": "0", "other": 1}',
        "line 2: expected an object with one of the keys",
    ),
    "hostile lane": (2, lambda _: '{"lane": "../0", "ids": []}', "line 2: lane"),
    "hostile id": (2, lambda _: '{"lane": "0", "ids": ["../../x"]}', "line 2: ids"),
    "another kind of id": (2, lambda _: '{"lane": "0", "ids": ["00000000"]}', "line 2"),
    "deep": (2, lambda _: "[" * 100_000, "line 2: expected JSON"),
    "changed request": (0, lambda line: line.replace('"hi"', '"ho"'), "the request was changed"),
    "times": (2, lambda _: '{"lane": "0", "turn": "done", "times": [-1]}', "line 2: times"),
}


@pytest.mark.parametrize(("number", "damage", "words"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_named(chat, cassette, recorded, capsys, number, damage, words):
    number = number or 1 + next(n for n, line in enumerate(recorded) if '"request"' in line)
    recorded[number - 1] = damage(recorded[number - 1])
    cassette.write_text("\n".join(recorded) + "\n", "utf-8")

    code, said = replay(chat, cassette, capsys)

    assert code in (1, 2)
    assert words in said
    assert str(cassette) in said


def test_a_cassette_that_was_cut_is_refused(chat, cassette, recorded, capsys):
    cassette.write_text("\n".join(recorded)[:-5], "utf-8")

    code, said = replay(chat, cassette, capsys)

    assert code == 2
    assert f"line {len(recorded)}: the file ends in the middle of the line" in said


@pytest.mark.parametrize("left", range(1, 10))
def test_a_cassette_without_its_last_lines_is_a_difference(chat, cassette, recorded, capsys, left):
    cassette.write_text("\n".join(recorded[:-left]) + "\n", "utf-8")

    assert replay(chat, cassette, capsys)[0] in (1, 2)


def test_the_cassette_of_another_conversation_is_refused(chat, cassette, recorded, capsys):
    other = chat.with_name("other.msg.md")
    other.write_text("# %% [^two]\n\nhi\n", "utf-8")

    code, said = replay(other, cassette, capsys)

    assert code == 2
    assert "the recorded cell one is not in" in said


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.mkdir(), lambda path: None, lambda path: path.touch()]
)
def test_what_is_no_file_is_refused(chat, cassette, capsys, make):
    make(cassette)

    code, said = replay(chat, cassette, capsys)

    assert code == 2
    assert str(cassette) in said


def test_a_cassette_with_a_key_of_the_user_is_refused(
    chat, cassette, recorded, capsys, monkeypatch
):
    recorded[6] = recorded[6].replace("chat.msg.md", json.dumps(KEY)[1:-1])
    assert json.dumps(KEY)[1:-1] in recorded[6]
    cassette.write_text("\n".join(recorded) + "\n", "utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    code, said = replay(chat, cassette, capsys)

    assert code == 2
    assert "line 7: it holds one of your keys" in said
    assert KEY not in said


PIECES = [KEY[:5], KEY[5:12], KEY[12:]]


@pytest.mark.parametrize(
    "answer",
    [
        text(f"The key is {KEY} ."),
        Answer([*(delta(content=piece) for piece in PIECES), finish()]),
        Answer(
            [*(delta(reasoning_content=piece) for piece in PIECES), delta(content="ok"), finish()]
        ),
        error(400, f"Incorrect API key provided: {KEY}"),
        Answer(body=f"<html>{KEY}</html>", content_type="text/html"),
    ],
    ids=["at once", "in pieces", "in reasoning", "in an error", "in a page"],
)
def test_no_key_is_recorded(chat, cassette, answer):
    with ScriptedServer([answer]) as server:
        with_settings(server, run_file, chat, cassette=cassette, OPENAI_API_KEY=KEY)

    kept = cassette.read_text("utf-8")
    texts = []
    for line in map(json.loads, kept.splitlines()):
        for _, event in line.get("events", []):
            data = event.removeprefix("data: ").strip()
            choices = json.loads(data).get("choices", []) if data.startswith('{"choices') else []
            texts += [v for c in choices for v in c["delta"].values() if isinstance(v, str)]
    for form in (KEY, json.dumps(KEY)[1:-1]):
        assert form not in kept
        assert form not in "".join(texts)
    assert "[redacted]" in kept
    assert "authorization" not in kept.lower()


@pytest.mark.parametrize("name", ["notes.jsonl", "notes.jsonl.part"])
def test_a_recording_does_not_replace_another_file(chat, tmp_path, capsys, name):
    notes = tmp_path / name
    notes.write_text('{"my": "notes"}\n', "utf-8")

    with ScriptedServer([text("hello")]) as server:
        argv = ["run", str(chat), "--record", str(tmp_path / "notes.jsonl")]
        code = with_settings(server, main, argv)

    assert code == 2
    assert "is not a cassette" in capsys.readouterr().err
    assert notes.read_text("utf-8") == '{"my": "notes"}\n'


def test_a_cassette_grants_no_read_that_needs_approval(chat, cassette, tmp_path, capsys):
    secret = tmp_path / "outside.txt"
    secret.write_text("outside words", "utf-8")
    chat.write_text(f"# %% [^one]\n\nRead @[{secret}]\n", "utf-8")
    with ScriptedServer([text("read")]) as server:
        with_settings(server, run_file, chat, cassette=cassette, MSGBOOK_APPROVAL="allow")
    assert "outside words" in cassette.read_text("utf-8")

    code, said = replay(chat, cassette, capsys)

    assert code == 1
    assert "which a cassette cannot give" in said


def test_options_that_choose_prompts_are_refused_with_a_replay(chat, cassette, recorded, capsys):
    assert main(["run", str(chat), "--replay", str(cassette), "--all"]) == 2
    assert "leave out --all" in capsys.readouterr().err


def test_a_broken_cassette_can_be_recorded_anew(chat, cassette, recorded, capsys):
    cassette.write_text("\n".join(recorded[:-2])[:-5], "utf-8")

    with ScriptedServer([text("hello")]) as server:
        assert with_settings(server, main, ["run", str(chat), "--record", str(cassette)]) == 2
        assert "add --all" in capsys.readouterr().err
        argv = ["run", str(chat), "--all", "--record", str(cassette)]
        assert with_settings(server, main, argv) == 0

    assert replay(chat, cassette, capsys)[0] == 0


def test_a_recording_of_nothing_says_so(chat, cassette, capsys):
    chat.write_text("# %% [^one]\n\nhi\n\n# %%% [^one-1]\n\nhello\n", "utf-8")

    assert main(["run", str(chat), "--record", str(cassette)]) == 1
    assert "--all answers and records" in capsys.readouterr().err
    assert not cassette.exists()
