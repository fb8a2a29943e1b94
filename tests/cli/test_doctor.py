"""`msgbook doctor`: what it finds of settings and servers, and what it writes."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import scripted_server as scripted
from apis import over_both_apis

from msgbook.__main__ import main
from msgbook.cli.doctor.answer import Answer, judge_stream
from msgbook.cli.doctor.asking import Asker
from msgbook.cli.doctor.server import ServerChecks
from msgbook.cli.doctor.setup import Answers, ask_settings, format_toml, write_settings
from msgbook.cli.terminal import home_as_tilde
from msgbook.cli.usage_errors import CommandError
from msgbook.config import load_settings
from msgbook.errors import ProviderError
from msgbook.events import ModelFinished, Notice, TextDelta

NUMBERS = "1 2 3 4 5 6 7 8 9 10 11 12"
CALLS = scripted.call("add", {"a": 2, "b": 3})
PATHS = {"chat": "/chat/completions", "responses": "/responses"}


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


@over_both_apis
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


@over_both_apis
def test_a_server_that_answers_at_once_does_not_stream(doctor):
    body = json.dumps({"choices": [{"message": {"content": NUMBERS}, "finish_reason": "stop"}]})
    code, found, _ = doctor(scripted.Answer(body=body), CALLS)

    assert (code, statuses(found, "answer", "stream", "usage")) == (1, ["pass", "fail", "unknown"])
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


@over_both_apis
def test_a_streamed_answer_in_one_piece_is_too_short_to_tell(doctor):
    code, found, _ = doctor(streamed(NUMBERS), CALLS)

    assert (code, statuses(found, "answer", "stream")) == (0, ["pass", "unknown"])
    assert "26 characters came in one piece and is too short to tell" in found["stream"]["words"]


@over_both_apis
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


@over_both_apis
def test_reasoning_without_an_answer_is_the_servers_parser(doctor):
    code, found, _ = doctor(scripted.text("", reasoning=NUMBERS))

    assert (code, statuses(found, "answer", "stream", "tools")) == (1, ["fail", "pass", "unknown"])
    assert "only reasoning" in found["answer"]["words"]
    assert "--reasoning-parser" in found["answer"]["advice"]


@pytest.mark.parametrize(("reasoning", "status"), [("Hm. Hm.", "pass"), ("", "unknown")])
@over_both_apis
def test_an_answer_that_the_limit_of_the_check_cuts_off_is_no_failure(doctor, reasoning, status):
    chunks = scripted.text("", reasoning=reasoning).chunks[:-1]
    code, found, _ = doctor(scripted.Answer([*chunks, scripted.finish("length")]), CALLS)

    assert (code, statuses(found, "answer", "tools")) == (0, [status, "pass"])
    assert "limit of this check" in found["answer"]["words"]


@over_both_apis
@pytest.mark.parametrize("key", ["content", "reasoning_content"])
def test_a_stream_that_stops_without_an_end_fails(doctor, key):
    code, found, _ = doctor(scripted.Answer([scripted.delta(**{key: "1 2"})], done=False))

    assert (code, statuses(found, "answer")) == (1, ["fail"])
    assert "without a mark of its end" in found["answer"]["words"]


@over_both_apis
def test_the_doctor_says_whether_reasoning_is_shown(doctor):
    _, found, _ = doctor(scripted.text(NUMBERS, reasoning="Let me count."), CALLS)
    assert (found["reasoning"]["status"], found["reasoning"]["words"]) == (
        "pass",
        "the server shows it",
    )


@over_both_apis
def test_reasoning_that_is_counted_and_not_shown_is_told(doctor):
    usage = {
        "prompt_tokens": 1,
        "completion_tokens": 9,
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    hidden = scripted.Answer([scripted.delta(content=NUMBERS), scripted.finish("stop", usage)])
    code, found, _ = doctor(hidden, CALLS)

    assert (code, statuses(found, "answer", "reasoning")) == (0, ["pass", "unknown"])
    assert found["reasoning"]["words"] == "7 tokens that the server does not show"


@over_both_apis
def test_a_refusal_is_an_answer(doctor):
    refused = [scripted.delta(refusal="I can"), scripted.delta(refusal="not."), scripted.finish()]
    code, found, _ = doctor(scripted.Answer(refused), CALLS)

    assert (code, statuses(found, "answer", "stream")) == (0, ["pass", "pass"])
    assert "the model refused: 'I cannot.'" in found["answer"]["words"]


@pytest.mark.parametrize("status", [500, 502, 503])
@over_both_apis
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


@over_both_apis
def test_a_model_that_calls_no_tool_leaves_it_unknown(doctor):
    code, found, _ = doctor(scripted.text(NUMBERS), scripted.text("It is 5."))

    assert (code, statuses(found, "tools")) == (0, ["unknown"])
    assert "It is 5." in found["tools"]["words"]


@over_both_apis
def test_a_call_that_arrives_as_text_is_the_servers_parser(doctor):
    call = '<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 3}}\n</tool_call>'
    code, found, _ = doctor(scripted.text(NUMBERS), scripted.text(call))

    assert (code, statuses(found, "answer", "tools")) == (1, ["pass", "fail"])
    assert "`<tool_call>`" in found["tools"]["words"]
    assert "--tool-call-parser" in found["tools"]["advice"]


@over_both_apis
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


def test_providers_of_the_file_that_the_environment_overrides_are_a_finding(
    tmp_path, monkeypatch, capsys
):
    path = tmp_path / "msgbook.toml"
    path.write_text('model = "qwen3"\n[providers.ollama]\nbase_url = "http://localhost:11434/v1"\n')
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")

    assert main(["doctor", "--offline"]) == 1
    told = capsys.readouterr().out
    assert "FAIL     settings: The providers of msgbook.toml are not the default" in told
    assert "\n         Unset OPENAI_API_KEY" in told

    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.setenv("MSGBOOK_MODEL", "gpt-5")
    assert main(["doctor", "--offline"]) == 0
    assert "note     settings: The providers of msgbook.toml" in capsys.readouterr().out

    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    main(["doctor", "--offline", "--provider", "ollama"])
    assert "not the default, because" not in capsys.readouterr().out


@over_both_apis
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


@over_both_apis
def test_a_list_that_the_key_may_not_read_is_the_failure_if_no_model_is_set(doctor, server):
    server.models_body, server.models_status = '{"error": {"message": "no such key"}}', 401

    code, found, _ = doctor(scripted.text(NUMBERS), CALLS, model="")

    assert (code, statuses(found, "server", "model")) == (1, ["fail", "unknown"])
    assert found["server"]["advice"] == "Check OPENAI_API_KEY."


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
@over_both_apis
def test_whatever_is_no_completion_fails_with_a_word(doctor, status, body):
    kind = "text/html" if body.startswith("<") else "application/json"
    code, found, _ = doctor(scripted.Answer(status=status, body=body, content_type=kind))

    assert (code, statuses(found, "answer")) == (1, ["fail"])
    assert found["answer"]["words"]


@over_both_apis
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


def test_settings_are_shown_with_their_origin(tmp_path, monkeypatch, capsys):
    path = tmp_path / "msgbook.toml"
    path.write_text(
        'model = "b"\n[limits]\nmax_steps = 5\n[providers.local]\n'
        'base_url = "http://me:hidden-word@127.0.0.1:9/v1"\napi_key_env = "LOCAL_KEY"\n'
        'headers = { X-Token = "t-0123456789" }'
    )
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789")
    monkeypatch.setenv("MSGBOOK_MODEL", "a")

    main(["doctor", "--offline"])

    out = capsys.readouterr().out
    assert "http://127.0.0.1:9/v1 ([providers.local] of msgbook.toml)" in out
    assert "is set (LOCAL_KEY)" in out
    assert "a (MSGBOOK_MODEL)" in out
    assert "max_steps 5" in out
    assert "X-Token" in out
    assert [s for s in ("hidden-word", "sk-local-0123456789", "t-0123456789") if s in out] == []


def test_what_the_project_sets_is_shown_as_the_projects(tmp_path, monkeypatch, capsys):
    (tmp_path / ".msgbook").mkdir()
    (tmp_path / ".msgbook" / "config.toml").write_text('model = "theirs"\n[limits]\nmax_steps = 2')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MSGBOOK_MODEL", "mine")

    assert main(["doctor", "--offline"]) == 0

    out = capsys.readouterr().out
    assert "mine (MSGBOOK_MODEL)" in out
    assert "lowers max_steps (.msgbook/config.toml)" in out


def test_a_project_that_waits_for_trust_is_no_failure(tmp_path, monkeypatch, capsys):
    (tmp_path / ".msgbook").mkdir()
    (tmp_path / ".msgbook" / "config.toml").write_text('model = "theirs"')
    monkeypatch.chdir(tmp_path)

    assert main(["doctor", "--offline"]) == 0

    state, advice = capsys.readouterr().out.partition("unknown  project: ")[2].splitlines()[:2]
    assert "model is ignored" in state
    assert advice.strip().startswith("Read it, then")
    assert advice.endswith("msgbook trust .")


@pytest.fixture
def two_servers(server, tmp_path, monkeypatch):
    """`msgbook.toml` with a default provider that is away, `far`, which is the scripted server."""
    path = tmp_path / "msgbook.toml"
    path.write_text(
        'model = "mine"\n[providers.near]\nbase_url = "http://127.0.0.1:9/v1"\n'
        f'[providers.far]\nbase_url = "{server.url}"\nalternate = true\n[providers.broken]\n'
        '[agents.reviewer]\nprovider = "far"\n[mcp_servers.files]\ncommand = "x"'
    )
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))


@pytest.mark.usefixtures("two_servers")
def test_another_provider_is_checked_by_name_with_a_model_of_its_own(server, capsys):
    server.routes = ("/chat/completions",)
    server.answers = [scripted.text(NUMBERS), CALLS, scripted.text(NUMBERS), CALLS]

    main(["doctor", "--provider", "far"])
    assert "pass     model: none is set, and scripted is the only one that the server offers" in (
        capsys.readouterr().out
    )
    main(["doctor", "--provider", "far", "--model", "other"])

    assert [request["model"] for request in server.requests] == ["scripted"] * 3 + ["other"] * 3
    out = capsys.readouterr().out
    assert f"server    {server.url} ([providers.far] of msgbook.toml)" in out
    assert "wants     alternate (msgbook.toml)" in out
    assert "model     other (--model)" in out
    assert "providers near (the default), far, broken (cannot be used)" in out
    assert "agents    reviewer" in out
    assert "mcp       files\n" in out


@pytest.mark.usefixtures("two_servers")
def test_a_provider_that_cannot_be_checked_is_unreadable_input(capsys):
    assert main(["doctor", "--provider", "none"]) == 2
    assert "near, far, broken" in capsys.readouterr().err
    assert main(["doctor", "--provider", "broken"]) == 2
    assert "base_url of [providers.broken] is missing" in capsys.readouterr().err


def test_the_home_directory_is_shown_as_a_tilde(tmp_path, monkeypatch, capsys):
    home = tmp_path / "me"
    (home / "set").mkdir(parents=True)
    (home / "set" / "msgbook.toml").write_text("")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MSGBOOK_CONFIG", str(home / "set" / "msgbook.toml"))

    main(["doctor", "--offline"])

    assert "file      ~/set/msgbook.toml\n" in capsys.readouterr().out
    assert home_as_tilde(f"{home}2/a ({home}/a) /x{home}/a") == f"{home}2/a (~/a) /x{home}/a"


def test_a_file_with_a_secret_that_others_can_read_is_a_failure(tmp_path, monkeypatch, capsys):
    path = tmp_path / "msgbook.toml"
    path.write_text(
        '[providers.x]\nbase_url = "http://h/v1"\nheaders = { Authorization = "Bearer sk-01234567" }'
    )
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))
    path.chmod(0o644)

    assert main(["doctor", "--offline"]) == 1
    assert f"chmod 600 {path}" in capsys.readouterr().out

    path.chmod(0o600)
    assert main(["doctor", "--offline"]) == 0


def test_the_demo_model_needs_no_server(monkeypatch, capsys):
    assert main(["doctor"]) == 0
    assert "msgbook doctor --setup" in capsys.readouterr().out


def test_settings_that_cannot_be_read_are_unreadable_input(tmp_path, monkeypatch, capsys):
    path = tmp_path / "msgbook.toml"
    path.write_text("= nothing")
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))

    assert main(["doctor"]) == 2
    assert "is not valid TOML" in capsys.readouterr().err


def answering(*answers):
    left = iter(answers)
    asked = []

    def ask(question):
        asked.append(question)
        answer = next(left, None)
        if answer is None:
            raise EOFError
        return answer

    ask.asked = asked
    return ask


def test_setup_asks_again_until_an_answer_is_right(capsys):
    ask = answering("localhost", "http://localhost:1/v1", "sk-abcdefgh-123", "MY_KEY", "2", "")

    answers = ask_settings(ask, lambda url, variable: ["a", "b"])

    assert answers == Answers("http://localhost:1/v1", "MY_KEY", "b")
    assert "not the name of a variable" in capsys.readouterr().out


def test_setup_offers_what_most_people_want():
    asked = []

    def offered(url, variable):
        asked.append((url, variable))
        return ["only"]

    answers = ask_settings(answering("", "", ""), offered)

    assert answers == Answers("https://api.openai.com/v1", "OPENAI_API_KEY", "only")
    assert asked == [("https://api.openai.com/v1", "OPENAI_API_KEY")]


@pytest.mark.parametrize("models", [["a", "b"], []])
def test_setup_says_what_follows_from_no_model_and_where_to_choose_one(capsys, models):
    answers = ask_settings(answering("http://h:1/v1", "", "", ""), lambda url, variable: models)

    assert answers.model == ""
    told = capsys.readouterr().out
    assert "No model is set" in told
    for place in ('`model = "NAME"` at the top of the file', "MSGBOOK_MODEL", "`%model NAME`"):
        assert place in told
    assert ("only one model" in told) == (not models)


def test_setup_asks_which_api_a_server_has_and_writes_it_if_it_is_set(capsys):
    ask = answering("http://h:1/v1", "", "m", "soap", "responses")

    answers = ask_settings(ask, lambda url, variable: ["m", "n"])

    assert answers == Answers("http://h:1/v1", "", "m", "responses")
    assert "The API is chat or responses." in capsys.readouterr().out
    assert format_toml(answers).endswith('base_url = "http://h:1/v1"\napi = "responses"\n')


def test_setup_says_nothing_of_a_later_choice_where_the_environment_has_made_it(
    capsys, monkeypatch
):
    monkeypatch.setenv("MSGBOOK_MODEL", "a")

    ask_settings(answering("http://h:1/v1", "", "", ""), lambda url, variable: ["a", "b"])

    assert "No model is chosen" not in capsys.readouterr().out


def test_setup_asks_again_when_the_server_does_not_answer():
    ask = answering("http://h:1/v1", "", "n", "http://h:2/v1", "", "1", "")

    answers = ask_settings(ask, lambda url, variable: ["a"] if url.endswith("2/v1") else None)

    assert answers == Answers("http://h:2/v1", "", "a")


def test_setup_keeps_a_server_that_does_not_answer_with_a_yes():
    answers = ask_settings(answering("http://h:1/v1", "", "y", "m", ""), lambda url, variable: None)

    assert answers == Answers("http://h:1/v1", "", "m")


def test_the_written_file_is_the_owners_alone_and_says_what_was_answered(tmp_path):
    path = tmp_path / "new" / "msgbook.toml"
    answers = Answers("http://h/v1", "MY_KEY", 'a "model" \\ of\u007f 文')

    assert write_settings(path, answers, replace=False) is None

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    settings = load_settings({"MSGBOOK_CONFIG": str(path), "MY_KEY": "sk-0123456789"})
    assert (settings.model, settings.provider.base_url) == (answers.model, "http://h/v1")
    assert (settings.provider.api_key, settings.warnings) == ("sk-0123456789", ())
    assert [file.name for file in path.parent.iterdir()] == ["msgbook.toml"]


def test_a_file_that_is_there_is_kept_beside_the_new_one(tmp_path):
    path = tmp_path / "msgbook.toml"
    path.write_text("# mine")
    (tmp_path / "msgbook.toml.bak1").write_text("# older")
    answers = Answers("http://h/v1", "", "")

    backup = write_settings(path, answers, replace=True)

    assert (backup.name, backup.read_text()) == ("msgbook.toml.bak2", "# mine")
    assert path.read_text() == format_toml(answers)
    assert (tmp_path / "msgbook.toml.bak1").read_text() == "# older"


def test_a_file_that_came_in_between_is_not_overwritten(tmp_path):
    path = tmp_path / "msgbook.toml"
    path.write_text("# mine")

    with pytest.raises(CommandError, match="exists"):
        write_settings(path, Answers("http://h/v1", "", ""), replace=False)

    assert path.read_text() == "# mine"
    assert [file.name for file in tmp_path.iterdir()] == ["msgbook.toml"]


@pytest.mark.parametrize("word", ["0", "-1", "soon", "inf", "nan"])
def test_a_time_limit_that_is_none_is_wrong_usage(word, capsys):
    with pytest.raises(SystemExit) as end:
        main(["doctor", "--timeout", word])

    assert end.value.code == 2
    assert "expected a positive number of seconds" in capsys.readouterr().err


def test_without_a_terminal_setup_says_so(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "msgbook", "doctor", "--setup"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 2
    assert "needs a terminal" in done.stderr


def on_terminal(folder: Path, typed: str, **env: str) -> subprocess.CompletedProcess[str]:
    """`msgbook doctor --setup` with a terminal as its input."""
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    settings = {"MSGBOOK_CONFIG": str(folder / "msgbook.toml"), **env}
    try:
        return subprocess.run(
            [sys.executable, "-m", "msgbook", "doctor", "--setup", "--timeout", "30"],
            stdin=theirs,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, **settings},
        )
    finally:
        os.close(ours)
        os.close(theirs)


def test_setup_writes_the_file_and_checks_what_it_says(tmp_path, server):
    server.answers = [scripted.text(NUMBERS), CALLS]
    server.models = ["a", "b"]

    done = on_terminal(tmp_path, f"{server.url}\nnone\n2\n\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert 'model = "b"' in (tmp_path / "msgbook.toml").read_text()
    assert "pass     tools" in done.stdout


def test_setup_says_first_what_the_environment_decides_and_names_no_setting_to_come(tmp_path):
    done = on_terminal(tmp_path, "http://127.0.0.1:9/v1\n\nn\n\x04", OPENAI_BASE_URL="http://h/v1")

    assert done.returncode == 2
    assert done.stdout.startswith(
        "The environment variable OPENAI_BASE_URL is set and overrides the file. To use the server that you name "
        "below, unset it before you start Jupyter or the command."
    )
    assert "The connection to http://127.0.0.1:9/v1 failed" in done.stdout
    assert "Check" not in done.stdout
    assert not (tmp_path / "msgbook.toml").exists()


def test_setup_says_before_the_questions_that_a_key_overrides_the_file(tmp_path):
    key = "sk-0123456789abcdef"
    done = on_terminal(tmp_path, "http://127.0.0.1:9/v1\n\x04", OPENAI_API_KEY=key)

    assert done.stdout.startswith(
        "The environment variable OPENAI_API_KEY is set and overrides the file."
    )
    assert "For a server other than OpenAI's, unset it" in done.stdout.partition("Base URL")[0]
    assert key not in done.stdout


def test_setup_leaves_a_file_alone_without_a_yes(tmp_path):
    (tmp_path / "msgbook.toml").write_text("# mine")

    done = on_terminal(tmp_path, "\n")

    assert done.returncode == 2
    assert "was not changed" in done.stderr
    assert (tmp_path / "msgbook.toml").read_text() == "# mine"
