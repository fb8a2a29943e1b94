"""A recorded run is replayed without a server: the same file, byte for byte, or a difference and the file as it was."""

from __future__ import annotations

import json
import shutil

import pytest
from apis import over_all_apis
from command import with_settings
from scripted_server import Answer, ScriptedServer, call, delta, error, finish, text

from msgbook.__main__ import main
from msgbook.cli.run import run_file
from msgbook.extras.cassettes.replay import run_replay

USAGE = {"prompt_tokens": 11, "completion_tokens": 7}


def prompts(*texts):
    return "".join(f"# %% [^c{number}]\n\n{words}\n\n" for number, words in enumerate(texts, 1))


def record(answers, chat, cassette, *, models=("scripted",), **more):
    """Run a conversation with a server that is gone afterwards; return the exit code and the file."""
    with ScriptedServer(list(answers), models=list(models)) as server:
        code = with_settings(server, run_file, chat, cassette=cassette, **more)
    return code, chat.read_bytes()


def lines(cassette):
    return [json.loads(line) for line in cassette.read_text("utf-8").splitlines()]


REASONED = text("The answer is 42.", reasoning="Let me think about it.")
TWO_STEPS = [call("shell", {"command": "echo $RANDOM-$RANDOM"}), text("That was random.")]
WITHOUT_IDS = Answer(
    [
        delta(
            tool_calls=[{"index": 0, "function": {"name": "glob", "arguments": '{"pattern": "*"}'}}]
        ),
        finish("tool_calls"),
    ]
)
CUT = Answer([delta(content="half of a "), delta(content="sentence")], done=False)


@over_all_apis
@pytest.mark.parametrize(
    ("sources", "answers", "code"),
    [
        (["hi"], [REASONED], 0),
        (["hi", "and then?"], [text("one"), text("two")], 0),
        (["roll"], TWO_STEPS, 0),
        (["look"], [WITHOUT_IDS, text("seen")], 0),
        (["again"], [call("glob", {"pattern": "*"})], 0),
        (["hi"], [error(429, "slow down"), error(500, "busy"), text("at last")], 0),
        (["hi"], [CUT], 1),
        (["hi"], [error(401, "no such key")], 1),
        (["hi"], [Answer(body="<html>a page</html>", content_type="text/html")], 1),
        (["hi"], [Answer([delta(content="cut by a filter"), finish("content_filter")])], 0),
        (
            ["#define NAME Ada\nI am @{NAME}.", "Who am I? @{NAME}"],
            [text("hi Ada"), text("Ada")],
            0,
        ),
        (['@[read{"path": "chat.msg.md"}] what is it?'], [text("a chat")], 0),
        (["你好 👋"], [text("早上好 \u2028 \x85 👋")], 0),
    ],
    ids=str,
)
def test_a_replay_gives_the_same_file(chat, cassette, sources, answers, code):
    chat.write_text(prompts(*sources), "utf-8")

    assert record(answers, chat, cassette)[0] == code
    before = chat.read_bytes()

    assert run_replay(chat, cassette) == code
    assert chat.read_bytes() == before


def test_a_replay_makes_answers_that_were_deleted(chat, cassette):
    chat.write_text(prompts("roll"), "utf-8")
    _, before = record(TWO_STEPS, chat, cassette)
    chat.write_text(prompts("roll"), "utf-8")

    assert run_replay(chat, cassette) == 0
    assert chat.read_bytes() == before


def test_the_only_model_of_the_server_is_known_without_it(chat, cassette):
    chat.write_text(prompts("hi"), "utf-8")
    _, before = record([text("hello")], chat, cassette, models=["only"], MSGBOOK_MODEL="")

    assert run_replay(chat, cassette) == 0
    assert chat.read_bytes() == before
    assert b'model="only"' in before


def test_a_summary_is_made_again_from_the_cassette(chat, cassette):
    chat.write_text(
        "# %% [^c1]\n\n[^c1]: history=summary\n\na long story\n\n# %%% [^c1-1]\n\nmore\n\n"
        "# %% [^c2]\n\nand?\n",
        "utf-8",
    )
    _, before = record([text("a story, in short"), text("the end")], chat, cassette)

    assert b"a story, in short" in before
    assert run_replay(chat, cassette) == 0
    assert chat.read_bytes() == before


def test_a_prompt_that_was_edited_ends_the_replay_with_the_unlike_message(
    chat, cassette, capsys, api
):
    chat.write_text(prompts("Hello there", "And now?"), "utf-8")
    record([text("one"), text("two")], chat, cassette)
    chat.write_text(chat.read_text("utf-8").replace("And now?", "And later?"), "utf-8")
    before = chat.read_bytes()

    assert run_replay(chat, cassette) == 1
    shown = capsys.readouterr().err
    # The Responses API has the system message elsewhere.
    which = "message 4" if api == "chat" else "input item 3"
    assert f"cell c2: step 1: {which} (user) differs" in shown
    assert "-And now?\n+And later?\n" in shown
    assert chat.read_bytes() == before


def test_a_new_prompt_is_a_difference(chat, cassette, capsys):
    chat.write_text(prompts("one"), "utf-8")
    record([text("1")], chat, cassette)
    chat.write_text(chat.read_text("utf-8") + "\n# %% [^new]\n\ntwo\n", "utf-8")

    assert run_replay(chat, cassette) == 1
    assert "cell new was not recorded" in capsys.readouterr().err


def test_what_the_cassette_holds_beyond_the_replay_is_a_difference(chat, cassette, capsys):
    chat.write_text(prompts("roll"), "utf-8")
    record(TWO_STEPS, chat, cassette)
    with cassette.open("a", encoding="utf-8") as file:
        file.write('{"lane": "0", "n": 9, "request": {"method": "POST"}}\n')

    assert run_replay(chat, cassette) == 1
    assert "a request was not made again" in capsys.readouterr().err


def test_messages_are_kept_once(chat, cassette):
    chat.write_text(prompts("first words", "second words"), "utf-8")
    record([text("one"), text("two")], chat, cassette)

    first, second = (line["request"] for line in lines(cassette) if "request" in line)
    assert (first["kept"], second["kept"]) == (0, len(first["new"]))
    assert [message["role"] for message in second["new"]] == ["assistant", "user"]
    assert "rest" in first
    assert "rest" not in second
    assert cassette.read_text("utf-8").count("first words") == 1


def test_answers_are_kept_event_by_event_with_their_times(chat, cassette):
    chat.write_text(prompts("hi"), "utf-8")
    record([Answer([delta(content="a"), delta(content="b"), finish()], pause=0.02)], chat, cassette)

    answer = next(line for line in lines(cassette) if "events" in line)
    times = [at for at, _ in answer["events"]]
    events = [text for _, text in answer["events"]]
    assert all(text.endswith("\n\n") and text.count("data: ") == 1 for text in events)
    assert times == sorted(times)
    assert times[-1] >= times[0] + 0.03
    assert answer["headers"] == {"content-type": "text/event-stream"}
    assert answer["end"] == "eof"


@pytest.mark.parametrize("name", ["chat.ipynb", "chat.mtm", "plan.md"])
def test_other_files_are_replayed_too(tmp_path, cassette, name):
    path = tmp_path / name
    source = tmp_path / "source.msg.md"
    source.write_text(prompts("#define NAME Ada\nI am @{NAME}."), "utf-8")
    if name == "plan.md":
        head = "---\nmessage_section: Talk\n---\n\n# Plan\n\nWords.\n\n## Talk\n\n"
        path.write_text(head + source.read_text("utf-8"), "utf-8")
    else:
        assert main(["convert", str(source), str(path)]) == 0
    _, before = record(TWO_STEPS, path, cassette)

    assert b"That was random." in before
    assert run_replay(path, cassette) == 0
    assert path.read_bytes() == before


def test_a_turn_that_was_stopped_before_the_first_byte_of_its_answer_is_not_replayed(
    chat, cassette, capsys
):
    record([text("Hello")], chat, cassette)
    stopped = [
        {**line, "events": [], "end": "closed"} if "events" in line else line
        for line in lines(cassette)
    ]
    cassette.write_text("".join(json.dumps(line) + "\n" for line in stopped), "utf-8")

    assert run_replay(chat, cassette) == 1
    assert "was stopped while it was recorded" in capsys.readouterr().err


def test_a_replay_writes_no_other_file_than_the_conversation(chat, cassette, tmp_path, monkeypatch):
    chat.with_name("a.txt").write_text("words", "utf-8")
    chat.write_text(prompts("Read @[a.txt]"), "utf-8")
    _, written = record([text("I have.")], chat, cassette)
    shutil.rmtree(chat.parent / ".msgbook")
    chat.write_text(prompts("Read @[a.txt]"), "utf-8")
    files = sorted(tmp_path.rglob("*"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))

    assert run_replay(chat, cassette) == 0

    assert chat.read_bytes() == written
    assert sorted(tmp_path.rglob("*")) == files
