"""`msgbook doctor` and the two APIs: which one is in force, and whether the other shows more."""

from __future__ import annotations

import json
import os

import pytest
import scripted_server as scripted
from doctor_answers import CALLS, NUMBERS

from msgbook.__main__ import main
from msgbook.events import ModelFinished
from msgbook.messages import API_TITLES
from msgbook.server_checks.answer import Answer
from msgbook.server_checks.server import ApiChoice, judge_apis

USAGE = {"prompt_tokens": 11, "completion_tokens": 7}
CHAT, RESPONSES = "/chat/completions", "/responses"


def called(*, reasoning="", usage=USAGE):
    thought = [scripted.delta(reasoning_content=reasoning)] if reasoning else []
    return scripted.Answer([*thought, *CALLS.chunks[:-1], scripted.finish("tool_calls", usage)])


@pytest.fixture
def doctor(server, tmp_path, monkeypatch, capsys):
    """Runs `msgbook doctor --json` for a provider whose server answers differently over each API."""

    def run(chat=None, responses=None, *, api=None, text=None):
        given = {CHAT: chat, RESPONSES: responses}
        server.routes = tuple(path for path, answer in given.items() if answer)

        def answer(request):
            if "tools" not in request:
                return text or scripted.text(NUMBERS)
            return given[CHAT if "messages" in request else RESPONSES]

        server.choose = answer
        line = f'api = "{api}"\n' if api else ""
        path = tmp_path / "msgbook.toml"
        path.write_text(f'model = "m"\n[providers.main]\nbase_url = "{server.url}"\n{line}')
        monkeypatch.setenv("MSGBOOK_CONFIG", str(path))
        code = main(["doctor", "--json", "--timeout", "30"])
        told = json.loads(capsys.readouterr().out)
        return code, {f["check"]: f for f in told["findings"]}, told

    return run


def test_the_api_that_shows_more_is_named_with_the_line_that_sets_it(doctor):
    code, found, told = doctor(called(), called(reasoning="Two and three."))

    assert (code, found["api"]["status"]) == (0, "note")
    assert found["api"]["words"] == (
        "chat returns tool calls, usage; "
        "responses returns tool calls, reasoning, usage, encrypted reasoning"
    )
    assert 'set api = "responses" in [providers.main] of msgbook.toml' in found["api"]["advice"]
    assert (told["usage"]["input_tokens"], told["usage"]["output_tokens"]) == (33, 21)


def test_the_api_in_force_stays_if_the_other_one_shows_no_more(doctor):
    code, found, _ = doctor(called(), called(reasoning="Hm."), api="responses")
    assert (code, found["api"]["status"], found["api"]["advice"]) == (0, "pass", "")

    code, found, _ = doctor(called(), called())
    assert (code, found["api"]["status"]) == (0, "pass")
    assert found["api"]["words"] == (
        "using the chat API; the Responses API returns the same: tool calls, usage"
    )


@pytest.mark.parametrize(("api", "other"), [("chat", "Responses API"), ("responses", "chat API")])
def test_a_server_with_one_api_passes_and_is_asked_once_over_the_other(doctor, server, api, other):
    code, found, _ = doctor(**{api: called()}, api=api)

    assert (code, found["api"]["status"]) == (0, "pass")
    assert found["api"]["words"] == (f"using the {API_TITLES[api]}; the server has no {other}")
    assert len(server.requests) == 3


@pytest.mark.parametrize(("api", "other"), [("chat", "responses"), ("responses", "chat")])
def test_a_server_without_the_api_in_force_is_asked_over_the_other(doctor, server, api, other):
    code, found, _ = doctor(**{other: called()}, api=api)

    assert (code, found["answer"]["status"], found["api"]["status"]) == (1, "fail", "fail")
    assert found["answer"]["advice"] == ""
    assert f'set api = "{other}" in [providers.main] of msgbook.toml' in found["api"]["advice"]
    assert len(server.requests) == 2


def test_a_url_without_either_api_is_doubted(doctor):
    code, found, _ = doctor()

    assert (code, found["api"]["status"]) == (1, "fail")
    assert "neither" in found["api"]["words"]
    assert "/v1" in found["api"]["advice"]


def test_the_other_api_is_not_asked_where_the_first_request_failed(doctor, server):
    code, found, _ = doctor(called(), called(), text=scripted.error(401, "wrong key"))

    assert (code, found["api"]["status"]) == (1, "unknown")
    assert found["api"]["words"] == "not checked, because a check above failed"
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_an_error_of_the_other_api_is_no_failure_of_the_one_in_force(doctor, status):
    refusal = scripted.error(status, "The model `m` does not exist")
    code, found, _ = doctor(called(), refusal)

    assert (code, found["api"]["status"]) == (0, "unknown")
    assert "does not exist" in found["api"]["words"]
    assert found["api"]["words"].startswith("using the chat API; over the Responses API: ")


def test_the_file_that_has_to_be_created_is_named_with_its_folder(
    doctor, server, monkeypatch, capsys
):
    doctor(called(), called(reasoning="Hm."))
    monkeypatch.delenv("MSGBOOK_CONFIG")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)

    main(["doctor", "--json", "--model", "m"])

    found = {f["check"]: f for f in json.loads(capsys.readouterr().out)["findings"]}
    path = os.path.join(os.environ["JUPYTER_CONFIG_DIR"], "msgbook.toml")  # noqa: PTH118
    assert f"in [providers.openai] of {path}, and" in found["api"]["advice"]


def test_the_api_of_a_server_is_listed_with_its_origin(doctor, monkeypatch, capsys):
    _, _, told = doctor(called(), called())
    assert told["settings"]["api"] == "chat (the default for this server)"

    _, _, told = doctor(called(), called(), api="responses")
    assert told["settings"]["api"] == "responses ([providers.main] of msgbook.toml)"

    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    main(["doctor", "--offline"])
    assert "api       responses (the default for this server)\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ours", "theirs", "is_better"),
    [
        ({"has_reasoning": True}, {"has_encrypted_reasoning": True}, False),
        ({"has_encrypted_reasoning": True}, {"has_reasoning": True}, True),
        ({"calls": {0: ["add", "{}"]}}, {"has_reasoning": True}, False),
        ({"has_reasoning": True}, {"calls": {0: ["add", "{}"]}}, True),
        ({}, {"has_encrypted_reasoning": True}, False),
        ({}, {"has_reasoning": True, "end": ModelFinished(None, ended=False)}, False),
    ],
)
def test_calls_count_more_than_reasoning_and_readable_reasoning_more_than_encrypted(
    ours, theirs, is_better
):
    end = ModelFinished("stop", ended=True)
    answers = [Answer(**{"end": end, **shown}) for shown in (ours, theirs)]

    found = judge_apis(ApiChoice("chat", "responses", "main"), *answers)

    assert found.status == ("note" if is_better else "pass")
    assert bool(found.advice) == is_better


def test_answers_that_the_limit_of_the_check_cuts_off_are_not_compared(doctor):
    thought = [scripted.delta(reasoning_content="Hm. " * 100), scripted.finish("length")]
    code, found, _ = doctor(scripted.Answer(thought), called())

    assert (code, found["tools"]["status"], found["api"]["status"]) == (0, "unknown", "unknown")
    assert found["tools"]["words"] == "this check's token limit cut off the answer"
    assert found["api"]["words"].endswith("this check's token limit cut off an answer")
    assert found["api"]["advice"] == ""
