"""One conversation over all APIs: the same turns, the same hashes, and cassettes that say over which they were recorded."""

from __future__ import annotations

import itertools
import json

import pytest
from apis import asking_over, over_all_apis
from command import with_settings
from scripted_server import Answer, ScriptedServer, call, delta, error, finish, text
from talk import Talk, notices

from msgbook.cli.run import run_file
from msgbook.extras.cassettes.replay import run_replay
from msgbook.messages import API_TITLES, request_hash

APIS = {"chat": "/chat/completions", "responses": "/responses", "anthropic": "/messages"}
USAGE = {"prompt_tokens": 9, "completion_tokens": 4}
THOUGHT = [delta(reasoning_content="I look "), delta(reasoning_content="first.")]
SAYS = Answer([delta(content="It is "), delta(content="empty."), finish("stop", USAGE)])


def looks(number):
    """A call with an id of its own: a request of the Responses API replaces an id that comes twice."""
    return Answer([*THOUGHT, *call("read", {"path": "."}, f"call_{number}").chunks])


def talk_over(apis, server, folder):
    """A conversation whose turns are answered over one API after the other."""
    folder.mkdir()
    talk = Talk(server, folder)
    server.reset()
    server.answers = [answer for number in range(len(apis)) for answer in (looks(number), SAYS)]
    turns = []
    for number, api in enumerate(apis):
        with asking_over(api):
            turns.append(talk.ask(f"Question {number}"))
    return turns


def test_a_turn_says_the_same_and_has_the_same_hash_over_all_apis(server, tmp_path):
    found = [talk_over([api] * 2, server, tmp_path / api) for api in APIS]

    for turns in zip(*found, strict=True):
        assert len({turn["context"]["request_hash"] for turn in turns}) == 1
        said = [
            [(block["type"], block.get("text"), block.get("content")) for block in turn["blocks"]]
            for turn in turns
        ]
        assert said[0] == said[1] == said[2]
        assert [turn["status"] for turn in turns] == ["done"] * 3
        for turn in turns[1:]:
            assert turn["usage"].items() >= {"input_tokens": 9, "output_tokens": 4}.items()


@pytest.mark.parametrize("order", [*itertools.permutations(APIS)])
def test_a_conversation_goes_on_over_another_api(server, tmp_path, order):
    turns = talk_over([*order, *order], server, tmp_path / "chats")

    assert [turn["status"] for turn in turns] == ["done"] * 6
    assert server.paths == [APIS[api] for api in order * 2 for _ in range(2)]
    first = server.messages(-2)
    assert turns[-1]["context"]["request_hash"] == request_hash(first)
    assert "I look" not in json.dumps(server.requests[-2])
    assert server.refused == []


@pytest.mark.parametrize(("recorded", "now"), [*itertools.permutations(APIS, 2)])
def test_a_cassette_of_another_api_says_so(tmp_path, capsys, recorded, now):
    chat, cassette = tmp_path / "chat.msg.md", tmp_path / "chat.cassette.jsonl"
    chat.write_text("# %% [^one]\n\nhi\n", "utf-8")
    with ScriptedServer([text("hello")]) as server, asking_over(recorded):
        assert with_settings(server, run_file, chat, cassette=cassette) == 0
    assert run_replay(chat, cassette) == 0
    head, *lines = cassette.read_text("utf-8").splitlines()
    assert f'"api": "{recorded}"' in head
    head = head.replace(f'"api": "{recorded}"', f'"api": "{now}"')
    cassette.write_text("\n".join([head, *lines, ""]), "utf-8")

    assert run_replay(chat, cassette) == 1

    words = f"recorded over the {API_TITLES[recorded]}, and is sent over the {API_TITLES[now]} now"
    assert words in capsys.readouterr().err


def test_a_cassette_from_before_there_were_several_apis_is_replayed(tmp_path):
    chat, cassette = tmp_path / "chat.msg.md", tmp_path / "chat.cassette.jsonl"
    chat.write_text("# %% [^one]\n\nhi\n", "utf-8")
    with ScriptedServer([text("hello")]) as server:
        assert with_settings(server, run_file, chat, cassette=cassette) == 0
    head, *lines = cassette.read_text("utf-8").splitlines()
    found = json.loads(head)
    for provider in found["settings"]["providers"]:
        del provider["api"]
    cassette.write_text("\n".join([json.dumps(found), *lines, ""]), "utf-8")
    before = chat.read_bytes()

    assert run_replay(chat, cassette) == 0
    assert chat.read_bytes() == before


CUTS = {
    "thinking": [delta(reasoning_content="I look "), delta(reasoning_content="fir")],
    "text": [*THOUGHT, delta(content="It is")],
    "arguments": [*THOUGHT, *call("read", {"path": "."}).chunks[:1]],
    "a call": [*THOUGHT, delta(content="I read."), *call("read", {"path": "."}).chunks[:2]],
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@over_all_apis
def test_an_answer_that_was_cut_off_is_continued(server, tmp_path, cut):
    talk = Talk(server, tmp_path)
    server.answers = [looks(1), Answer(cut, done=False), SAYS]

    first, rest = talk.ask("What is here?"), talk.ask("%continue")

    assert (first["status"], rest["status"]) == ("incomplete", "done")
    assert server.refused == []
    *before, asks = server.messages()
    assert asks["role"] == "user"
    assert "broke off" in asks["content"]
    assert "I look fir" not in json.dumps(before)
    said = [message["content"] for message in before if message["role"] == "assistant"]
    assert ("It is" in said) == (cut is CUTS["text"])


BUSY = [
    error(503, "busy"),
    error(429, "slow down"),
    Answer([{"error": {"message": "Overloaded", "type": "overloaded_error", "code": 503}}]),
]


@pytest.mark.parametrize("busy", BUSY, ids=["503", "429", "in the stream"])
@over_all_apis
def test_a_server_that_is_busy_is_asked_again_with_the_same_body(server, tmp_path, busy):
    talk = Talk(server, tmp_path)
    server.answers = [looks(1), busy, busy, SAYS]

    turn = talk.ask("What is here?")

    assert turn["status"] == "done"
    assert server.requests[1] == server.requests[2] == server.requests[3]
    [words] = notices(turn)
    assert words.startswith("Retried (2/3): ")
    assert server.refused == []


@over_all_apis
def test_after_an_interrupt_wherever_it_comes_the_next_requests_are_valid(server, tmp_path):
    """The tool is one that there is not: its result comes at once."""
    calls = [*THOUGHT, *call("look", {"at": "it"}).chunks]
    statuses = []
    for changes in itertools.count(2):
        talk = Talk(server, tmp_path)
        steps = iter([Answer(calls), Answer([delta(content="So "), *calls])])
        server.choose = lambda request, steps=steps: next(steps, SAYS)

        turn = talk.interrupted("What is here?", changes)
        statuses.append(turn["status"])
        if turn["status"] == "done":
            break
        assert [talk.ask(prompt)["status"] for prompt in ("%continue", "And now?")] == ["done"] * 2
        assert server.refused == []

    assert len(statuses) > 10
    assert set(statuses) == {"interrupted", "done"}


@pytest.mark.parametrize(
    "words",
    [
        "litellm.BadRequestError: scripted-model doesn't support reasoning.effort.",
        "This model does not support the effort parameter.",
    ],
)
@over_all_apis
def test_an_effort_that_is_refused_is_left_out_and_said(server, tmp_path, api, words):
    def choose(request):
        asked = request.keys() & {"reasoning_effort", "output_config"}
        return error(400, words) if asked or request.get("reasoning", {}).get("effort") else SAYS

    config = tmp_path / "msgbook.toml"
    config.write_text(
        f'[providers.openai]\napi = "{api}"\n[agents.assistant]\nreasoning_effort = "high"\n'
    )
    talk = Talk(server, tmp_path)
    talk.env |= {"MSGBOOK_CONFIG": str(config), "MSGBOOK_MODEL": "claude-opus-5"}
    server.choose = choose

    turn = talk.ask("Hi")

    assert turn["status"] == "done"
    [notice] = notices(turn)
    assert notice.startswith("claude-opus-5 rejects the reasoning effort that you set")
