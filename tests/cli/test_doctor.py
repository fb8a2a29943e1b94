"""`msgbook doctor`: what it finds of the model's server."""

from __future__ import annotations

import asyncio
import json

import pytest
import scripted_server as scripted
from apis import over_all_apis
from doctor_answers import CALLS, NUMBERS

from msgbook.__main__ import main
from msgbook.errors import ProviderError
from msgbook.events import ModelFinished, Notice, TextDelta
from msgbook.server_checks.answer import Answer, judge_stream
from msgbook.server_checks.asking import Asker
from msgbook.server_checks.server import ServerChecks

PATHS = {"chat": "/chat/completions", "responses": "/responses", "anthropic": "/messages"}


@pytest.fixture
def doctor(server, monkeypatch, capsys, api):
    """Runs `msgbook doctor --json` against the scripted server; statuses by check, and all of it."""

    def run(*answers, model="scripted", **env):
        server.answers = list(answers)
        server.routes = (PATHS[api],)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for name, value in {"MSGBOOK_MODEL": model, **env}.items():
            monkeypatch.setenv(name, value)
        code = main(["doctor", "--json", "--timeout", "30"])
        told = json.loads(capsys.readouterr().out)
        return code, {f["check"]: f for f in told["findings"]}, told

    return run


def statuses(found, *checks):
    return [found[check]["status"] for check in checks]


@over_all_apis
def test_a_server_that_can_do_all_passes_with_three_short_requests(doctor, server, api):
    code, found, told = doctor(scripted.text(NUMBERS), CALLS)

    checks = ("server", "model", "answer", "stream", "usage", "tools", "api")
    assert (code, statuses(found, *checks)) == (0, ["pass"] * 7)
    assert (told["usage"]["input_tokens"], told["usage"]["output_tokens"]) == (11, 7)
    other = next(path for path in PATHS.values() if path != PATHS[api])
    assert server.paths == [PATHS[api]] * 2 + [other]
    assert all(limit_of(request) <= 400 for request in server.requests)


def limit_of(request):
    return request.get("max_tokens") or request.get("max_output_tokens")


@pytest.mark.parametrize("known", ["max_completion_tokens", None])
def test_a_server_that_refuses_the_limit_of_tokens_is_asked_as_turns_would_or_without(
    doctor, server, known
):
    def answer(request):
        for name in {"max_completion_tokens", "max_tokens"} - {known}:
            if name in request:
                return scripted.error(400, f"Unknown parameter: {name}")
        return CALLS if "tools" in request else scripted.text(NUMBERS)

    server.choose = answer
    code, found, _ = doctor()

    assert (code, statuses(found, "answer", "tools")) == (0, ["pass", "pass"])
    assert (known in server.requests[-2]) == (known is not None)
    assert "max_tokens" not in server.requests[-2]
    if known:
        assert "max_completion_tokens was sent instead" in found["request"]["words"]


def test_a_server_that_answers_at_once_does_not_stream(doctor):
    body = json.dumps({"choices": [{"message": {"content": NUMBERS}, "finish_reason": "stop"}]})
    code, found, _ = doctor(scripted.Answer(body=body), CALLS)

    assert (code, statuses(found, "answer", "stream", "usage")) == (1, ["pass", "fail", "note"])
    assert found["stream"]["advice"]


@pytest.mark.parametrize("api", ["responses"], indirect=True, scope="module")
def test_a_server_of_the_responses_api_that_refuses_its_limit_is_asked_without(doctor, server, api):
    def answer(request):
        if "max_output_tokens" in request:
            return scripted.error(400, "Unsupported parameter: max_output_tokens")
        return CALLS if "tools" in request else scripted.text(NUMBERS)

    server.choose = answer
    code, found, _ = doctor()

    assert (code, statuses(found, "answer", "tools")) == (0, ["pass", "pass"])


def streamed(*pieces):
    return scripted.Answer([*(scripted.delta(content=p) for p in pieces), scripted.finish()])


def test_a_streamed_answer_in_one_piece_is_too_short_to_tell(doctor):
    code, found, _ = doctor(streamed(NUMBERS), CALLS)

    assert (code, statuses(found, "answer", "stream")) == (0, ["pass", "unknown"])
    assert (
        "26-character answer came in one piece, too short to show whether the server streams"
        in found["stream"]["words"]
    )


def test_two_pieces_are_a_stream(doctor):
    code, found, _ = doctor(streamed("1 2 3", " 4"), CALLS)

    assert (code, statuses(found, "answer", "stream")) == (0, ["pass", "pass"])


@pytest.mark.parametrize(
    ("times", "status"),
    [
        ((5.0, 5.001, 5.002), "unknown"),
        ((5.0, 5.1, 5.2), "pass"),
        ((0.1, 0.1, 0.1), "pass"),
    ],
)
def test_pieces_that_come_all_at_once_after_a_long_wait_are_doubted(times, status):
    answer = Answer()
    for seconds in times:
        answer.add_piece(TextDelta("1 "), seconds)

    found = judge_stream(answer)

    assert found.status == status
    assert ("all at once" in found.words) == (times[-1] - times[0] < 0.01)


def test_reasoning_without_an_answer_is_the_servers_parser(doctor):
    code, found, _ = doctor(scripted.text("", reasoning=NUMBERS))

    assert (code, statuses(found, "answer", "stream", "tools")) == (1, ["fail", "pass", "unknown"])
    assert "only reasoning" in found["answer"]["words"]
    assert "--reasoning-parser" in found["answer"]["advice"]


@pytest.mark.parametrize(("reasoning", "status"), [("Hm. Hm.", "pass"), ("", "unknown")])
def test_an_answer_that_the_limit_of_the_check_cuts_off_is_no_failure(doctor, reasoning, status):
    chunks = scripted.text("", reasoning=reasoning).chunks[:-1]
    code, found, _ = doctor(scripted.Answer([*chunks, scripted.finish("length")]), CALLS)

    assert (code, statuses(found, "answer", "tools")) == (0, [status, "pass"])
    assert "this check's token limit cut off the answer" in found["answer"]["words"]


@pytest.mark.parametrize("key", ["content", "reasoning_content"])
def test_a_stream_that_stops_without_an_end_fails(doctor, key):
    code, found, _ = doctor(scripted.Answer([scripted.delta(**{key: "1 2"})], done=False))

    assert (code, statuses(found, "answer")) == (1, ["fail"])
    assert "the stream had no end marker" in found["answer"]["words"]


def test_the_doctor_says_whether_reasoning_is_shown(doctor):
    _, found, _ = doctor(scripted.text(NUMBERS, reasoning="Let me count."), CALLS)
    assert (found["reasoning"]["status"], found["reasoning"]["words"]) == (
        "pass",
        "the server returns it",
    )


def test_reasoning_that_is_counted_and_not_shown_is_told(doctor):
    usage = {
        "prompt_tokens": 1,
        "completion_tokens": 9,
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    hidden = scripted.Answer([scripted.delta(content=NUMBERS), scripted.finish("stop", usage)])
    code, found, _ = doctor(hidden, CALLS)

    assert (code, statuses(found, "answer", "reasoning")) == (0, ["pass", "note"])
    assert found["reasoning"]["words"] == "7 reasoning tokens, but no readable reasoning"


def test_a_refusal_is_an_answer(doctor):
    refused = [scripted.delta(refusal="I can"), scripted.delta(refusal="not."), scripted.finish()]
    code, found, _ = doctor(scripted.Answer(refused), CALLS)

    assert (code, statuses(found, "answer", "stream")) == (0, ["pass", "pass"])
    assert "the model refused: 'I cannot.'" in found["answer"]["words"]


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_list_of_models_that_fails_does_not_end_the_checks(doctor, server, status):
    server.models_body, server.models_status = '{"error": {"message": "no list"}}', status

    code, found, _ = doctor(scripted.text(NUMBERS), CALLS)
    assert (code, statuses(found, "server", "model", "answer", "tools")) == (
        0,
        ["unknown", "unknown", "pass", "pass"],
    )
    assert f"no list of models: The server answered {status}: no list" in found["server"]["words"]

    code, found, _ = doctor(scripted.text(NUMBERS), CALLS, model="")
    assert (code, statuses(found, "model", "answer")) == (1, ["fail", "unknown"])


def test_a_model_that_calls_no_tool_leaves_it_unknown(doctor):
    code, found, _ = doctor(scripted.text(NUMBERS), scripted.text("It is 5."))

    assert (code, statuses(found, "tools")) == (0, ["unknown"])
    assert "It is 5." in found["tools"]["words"]


def test_a_call_that_arrives_as_text_is_the_servers_parser(doctor):
    call = '<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 3}}\n</tool_call>'
    code, found, _ = doctor(scripted.text(NUMBERS), scripted.text(call))

    assert (code, statuses(found, "answer", "tools")) == (1, ["pass", "fail"])
    assert "`<tool_call>`" in found["tools"]["words"]
    assert "--tool-call-parser" in found["tools"]["advice"]


def test_a_server_that_refuses_tools_fails_in_that_only(doctor):
    refusal = scripted.error(400, "m does not support tools")
    code, found, _ = doctor(scripted.text(NUMBERS), refusal)

    assert (code, statuses(found, "answer", "tools")) == (1, ["pass", "fail"])
    assert "does not support tools" in found["tools"]["words"]


def test_a_notice_about_the_stream_is_no_refusal_of_tools():
    class Odd(SilentProvider):
        async def stream(self, request):
            yield Notice("The server sent an event of type `sparkle`.")
            yield TextDelta("1 2")
            yield ModelFinished("stop", ended=True)

    found = found_by(Odd(), seconds=5)

    assert (found["tools"].status, found["notice"].status) == ("unknown", "note")
    assert "called no tool" in found["tools"].words


def test_a_wrong_key_names_the_setting_and_is_never_shown(doctor, capsys):
    key = "sk-0123456789abcdef"
    refusal = scripted.error(401, f"Incorrect API key provided: {key}")
    code, found, told = doctor(refusal, OPENAI_API_KEY=key)

    assert (code, statuses(found, "answer", "stream", "tools")) == (
        1,
        ["fail", "unknown", "unknown"],
    )
    assert found["answer"]["advice"] == "Check OPENAI_API_KEY."
    assert key not in json.dumps(told)


def test_a_list_that_the_key_may_not_read_is_the_failure_if_no_model_is_set(doctor, server):
    server.models_body, server.models_status = '{"error": {"message": "no such key"}}', 401

    code, found, _ = doctor(scripted.text(NUMBERS), CALLS, model="")

    assert (code, statuses(found, "server", "model")) == (1, ["fail", "unknown"])
    assert found["server"]["advice"].startswith("OPENAI_API_KEY is not set.")


def test_a_wrong_model_names_what_sets_it(doctor, server, capsys):
    refusal = scripted.error(404, "The model `scripted` does not exist.")

    _, found, _ = doctor(refusal)
    main(["doctor", "--json", "--model", "other"])

    assert "set by MSGBOOK_MODEL;" in str(found["answer"])
    assert "set by --model;" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, "<html><body>Log in</body></html>"), (404, "no"), (200, ""), (500, "{"), (200, "[]")],
)
def test_whatever_is_no_completion_fails_with_a_word(doctor, status, body):
    kind = "text/html" if body.startswith("<") else "application/json"
    code, found, _ = doctor(scripted.Answer(status=status, body=body, content_type=kind))

    assert (code, statuses(found, "answer")) == (1, ["fail"])
    assert found["answer"]["words"]


def test_an_odd_list_of_models_is_no_failure_of_its_own(doctor, server):
    server.models_body = "<html>"
    code, found, _ = doctor(scripted.text(NUMBERS), CALLS)

    assert (code, statuses(found, "server", "model", "answer")) == (
        0,
        ["unknown", "unknown", "pass"],
    )


def test_without_a_model_the_only_one_is_taken_and_several_are_a_failure(doctor, server):
    code, found, _ = doctor(scripted.text(NUMBERS), CALLS, model="")
    assert (code, server.requests[0]["model"]) == (0, "scripted")

    server.models = ["a", "b"]
    code, found, _ = doctor(scripted.text(NUMBERS), model="")
    assert (code, statuses(found, "model", "answer")) == (1, ["fail", "unknown"])
    assert "MSGBOOK_MODEL" in found["model"]["advice"]


def test_a_server_that_is_not_there_fails_and_says_what_to_check(monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")

    assert main(["doctor"]) == 1

    out = capsys.readouterr().out
    assert "FAIL     server: The connection to http://127.0.0.1:9/v1 failed" in out
    assert "Check OPENAI_BASE_URL." in out


def test_a_url_without_a_list_of_models_is_the_failure_if_no_model_is_set(
    server, monkeypatch, capsys
):
    server.models_body, server.models_status = "404 page not found", 404
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)

    assert main(["doctor", "--json"]) == 1

    found = json.loads(capsys.readouterr().out)["findings"]
    failed = [finding for finding in found if finding["status"] == "fail"]
    assert [finding["check"] for finding in failed] == ["server"]
    assert failed[0]["advice"].startswith(
        "Check OPENAI_BASE_URL (it usually ends in /v1). If it is right, set"
    )


def test_checks_are_reported_in_their_order(doctor, api):
    _, _, told = doctor(scripted.error(404, "404 page not found"))

    checks = [finding["check"] for finding in told["findings"]]
    assert checks[-7:] == ["server", "model", "answer", "stream", "usage", "tools", "api"]


class SilentProvider:
    name = "silent"

    async def models(self):
        return ["m"]

    async def stream(self, request):
        await asyncio.Event().wait()
        yield

    async def close(self):
        pass


def found_by(provider, **options):
    async def run():
        asker = Asker(provider, **({"seconds": 0.01, "usage": {}} | options))
        checks = ServerChecks(asker, "m")
        return {finding.check: finding async for finding in checks.run()}

    return asyncio.run(run())


def test_a_server_that_says_nothing_times_out():
    found = found_by(SilentProvider())

    assert [found[check].status for check in ("server", "answer", "tools")] == [
        "pass",
        "fail",
        "unknown",
    ]
    assert "--timeout" in found["answer"].advice


def test_an_answer_without_an_end_is_a_failure():
    class Cut(SilentProvider):
        async def stream(self, request):
            yield TextDelta("1 2")
            yield ModelFinished(None, ended=False)

    assert found_by(Cut(), seconds=5)["answer"].status == "fail"


def test_a_request_that_the_server_limits_says_so():
    class Limited(SilentProvider):
        async def stream(self, request):
            raise ProviderError("RateLimitError", "The server answered 429.", advice="Wait.")
            yield

    found = found_by(Limited(), seconds=5)

    assert found["answer"].words == "The server answered 429."
    assert found["answer"].advice == "Wait."
