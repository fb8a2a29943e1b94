"""A person is asked on the page that shows the turn, else by the client's own input line."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kernel_client import FakePage, KernelClient, Message
from scripted_server import Answer, ScriptedServer, call, text

from msgbook_format.turn import TURN_MIME

CELL = {"id": "a", "cell_type": "code", "source": "hi", "metadata": {}, "outputs": []}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside.txt"
    path.write_text("what it holds")
    return path


@pytest.fixture
def server(kernel, module_server, outside) -> ScriptedServer:
    module_server.answers = [call("read", {"path": str(outside)}), text("done")]
    return module_server


@pytest.fixture
def page(kernel: KernelClient) -> Iterator[FakePage]:
    opened = FakePage(kernel, [CELL])
    yield opened
    opened.close()


def last_turn(messages: list[Message]) -> Any:
    shown = [m["content"]["data"] for m in messages if "transient" in m["content"]]
    return shown[-1][TURN_MIME]


def outcome(messages: list[Message]) -> tuple[str, str, str]:
    """Approval of the call, status and content of its result."""
    asked, result = [b for b in last_turn(messages)["blocks"] if b["type"].startswith("tool")]
    return asked["approval"], result["status"], result["content"]


@pytest.mark.smoke
def test_a_page_that_allows_lets_the_call_run(kernel, server, page, outside):
    page.decide = lambda asked: {"decision": "once", "arguments": asked["arguments"]}

    reply, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    assert reply["status"] == "ok"
    approval, status, content = outcome(messages)
    assert (approval, status) == ("user", "success")
    assert "what it holds" in content
    (asked,) = page.got("approval.ask")
    (display_id,) = page.turns
    assert (asked["cell_id"], asked["display_id"], asked["name"]) == ("a", display_id, "read")
    assert asked["choices"][0] == "once"
    assert str(outside) in asked["arguments"]
    assert asked["reason"]
    assert [m["request_id"] for m in page.got("approval.closed")] == [asked["request_id"]]


def test_a_page_that_changes_the_arguments_is_asked_about_them(kernel, server, page, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("the other")
    edited = json.dumps({"path": str(other)})
    decisions = [
        {"decision": "edit", "edited_arguments": '{"path": 3}'},
        {"decision": "edit", "edited_arguments": edited},
        {"decision": "once", "arguments": edited},
    ]
    page.decide = lambda asked: decisions.pop(0)

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    first, second, third = page.got("approval.ask")
    assert "edit" in first["choices"]
    assert (first["edited"], first["problem"], first["draft"]) == (False, "", "")
    assert second["problem"] == "These arguments do not fit: path: 3 is not of type 'string'."
    assert (second["arguments"], second["draft"]) == (first["arguments"], '{"path": 3}')
    assert (third["arguments"], third["edited"], third["problem"]) == (edited, True, "")
    assert str(other) in third["reason"]
    assert len({asked["request_id"] for asked in (first, second, third)}) == 3
    approval, status, content = outcome(messages)
    assert (approval, status) == ("user", "success")
    assert content.startswith("The user changed the arguments")
    assert content.endswith("the other")


def test_of_two_answers_the_first_counts_and_the_other_page_is_told(kernel, server, page):
    other = FakePage(kernel, [CELL])

    def take(message: Message) -> None:
        page.take(message)
        other.take(message)

    def decide(asked: Message) -> Message | None:
        if asked["problem"]:
            return {"decision": "no"}
        answer = {"type": "approval.answer", "request_id": asked["request_id"]}
        page.say(**answer, decision="edit", edited_arguments='{"path": 3}')
        other.say(**answer, decision="once", arguments=asked["arguments"])
        return None

    page.decide = decide
    try:
        _, messages = kernel.finish(kernel.start("hi", "a"), take)
        while not other.got("approval.late"):
            other.take(kernel.client.get_iopub_msg(timeout=300))
    finally:
        other.close()

    first = page.got("approval.ask")[0]
    assert outcome(messages)[:2] == ("denied", "denied")
    (late,) = other.got("approval.late")
    assert late["request_id"] == first["request_id"]
    assert page.got("approval.late") == []


def test_pages_are_told_when_an_earlier_answer_allows_a_call(kernel, module_server, page, outside):
    # The kernel is that of the other tests, which call another tool: the answer holds for its session.
    search = call("grep", {"pattern": "holds", "path": str(outside)})
    module_server.answers = [search, search, text("done")]
    page.decide = lambda asked: {"decision": "session", "arguments": asked["arguments"]}

    kernel.finish(kernel.start("hi", "a"), page.take)

    assert len(page.got("approval.ask")) == 1
    assert page.got("approvals.used") == [{"type": "approvals.used"}]


@pytest.mark.parametrize(("name", "is_secret"), [(".env", True), ("plain.txt", False)])
def test_edited_arguments_are_asked_about_with_their_own_reason(
    kernel, server, page, tmp_path, name, is_secret
):
    path = tmp_path / name
    path.write_text("what it holds")
    edited = json.dumps({"path": str(path)})
    decisions = [
        {"decision": "edit", "edited_arguments": edited},
        {"decision": "no"},
    ]
    page.decide = lambda asked: decisions.pop(0)

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    first, second = page.got("approval.ask")
    assert "secret" not in first["reason"]
    assert ("secret" in second["reason"], "session" in second["choices"]) == (
        is_secret,
        not is_secret,
    )
    assert str(path) in second["reason"]
    assert second["arguments"] == edited
    assert outcome(messages)[0] == "denied"


@pytest.mark.parametrize("edited", [None, 3, ["x"], "x" * 1_000_001])
def test_edited_arguments_that_are_no_text_are_no_answer_and_the_page_is_asked_again(
    kernel, server, page, edited
):
    decisions = [{"decision": "edit", "edited_arguments": edited}, {"decision": "no"}]
    page.decide = lambda asked: decisions.pop(0)

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    first, second = page.got("approval.ask")
    assert first == second
    assert outcome(messages)[0] == "denied"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ('"a"', "12345678901234567891"),
        ('"__proto__"', '{"path": "other"}'),
        ('"a"', '"\\ud800"'),
        ('"a"', '"\u202e\u200b"'),
        ('"a"', "1e400"),
    ],
)
def test_arguments_are_shown_as_they_were_written_and_others_than_the_tools_are_refused(
    kernel, server, page, key, value
):
    edited = f'{{"path": "a.txt", {key}: {value}}}'
    decisions = [{"decision": "edit", "edited_arguments": edited, "name": "shell", "call_id": "x"},
                 {"decision": "no"}]  # fmt: skip
    page.decide = lambda asked: decisions.pop(0)

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    first, second = page.got("approval.ask")
    assert second["draft"] == edited
    assert second["problem"].startswith("These arguments do not fit: ")
    assert [second[name] for name in ("name", "call_id", "arguments")] == [
        first[name] for name in ("name", "call_id", "arguments")
    ]
    assert outcome(messages)[0] == "denied"


@pytest.mark.parametrize(
    ("edited", "problem"),
    [
        ('{"path": "a.txt", "path": "b.txt"}', "an object has the same key twice"),
        ('{"path": "a.txt", "p\\u0061th": "b.txt"}', "an object has the same key twice"),
        ("[" * 100_000, "they are nested too deeply"),
        ('["path"]', "expected a JSON object"),
    ],
)
def test_arguments_that_readers_understand_differently_never_run(
    kernel, server, page, edited, problem
):
    decisions = [{"decision": "edit", "edited_arguments": edited}, {"decision": "no"}]
    page.decide = lambda asked: decisions.pop(0)

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    second = page.got("approval.ask")[1]
    assert second["problem"] == f"These arguments do not fit: {problem}."
    assert outcome(messages)[0] == "denied"


def test_the_question_is_in_the_turn_while_it_is_open(kernel, server, page):
    seen = []

    def decide(asked: Message) -> Message:
        turn = page.turns[asked["display_id"]]
        seen.append(turn["blocks"][-1]["approval"])
        return {"decision": "no"}

    page.decide = decide
    kernel.finish(kernel.start("hi", "a"), page.take)

    assert seen == ["pending"]


def test_a_denial_tells_the_model_why(kernel, server, page):
    page.decide = lambda asked: {"decision": "no", "reason": "not this one"}

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    assert outcome(messages) == ("denied", "denied", "Denied by the user: not this one")
    assert server.messages()[-1]["content"] == outcome(messages)[2]


def test_other_arguments_than_those_asked_about_are_not_allowed(kernel, server, page):
    page.decide = lambda asked: {"decision": "once", "arguments": '{"path": "harmless"}'}

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    assert outcome(messages)[:2] == ("denied", "denied")


def test_only_an_answer_to_this_question_counts(kernel, server, page):
    def decide(asked: Message) -> Message:
        for odd in (
            {"request_id": "guessed", "decision": "once"},
            {"request_id": asked["request_id"], "decision": "always"},
            {"request_id": asked["request_id"], "decision": ["once"]},
            {"request_id": asked["request_id"]},
        ):
            page.say(type="approval.answer", **odd)
        page.say(type="approval.answer", request_id=asked["request_id"], decision="no")
        return {"decision": "once"}

    page.decide = decide

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    assert outcome(messages)[:2] == ("denied", "denied")


def test_a_page_that_opens_while_a_question_is_open_gets_it(kernel, server, page):
    request = kernel.start("hi", "a")
    first = page.wait_for("approval.ask")
    page.close()

    later = FakePage(kernel, [CELL])
    later.decide = lambda asked: {"decision": "once"}
    _, messages = kernel.finish(request, later.take)
    later.close()

    assert later.got("approval.ask") == [first]
    assert outcome(messages)[:2] == ("user", "success")


def wait_for_comms(kernel: KernelClient) -> None:
    """Wait until the kernel has handled what was said on comms: it closes one of no target."""
    session = kernel.client.session
    opening = {"comm_id": "barrier", "target_name": "none", "data": {}}
    kernel.client.shell_channel.send(session.msg("comm_open", opening))
    while kernel.client.get_iopub_msg(timeout=300)["msg_type"] != "comm_close":
        pass


@pytest.mark.parametrize("allow_stdin", [True, False])
def test_a_question_of_a_turn_whose_page_was_closed_waits_for_the_page(
    kernel, server, page, outside, allow_stdin
):
    closed = threading.Event()

    def chunks() -> Iterator[dict[str, Any]]:
        assert closed.wait(300)
        yield from call("read", {"path": str(outside)}).chunks

    server.answers = [Answer(chunks()), text("done")]
    request = kernel.start("hi", "a", allow_stdin=allow_stdin)
    page.wait_for("turn")
    page.close()
    wait_for_comms(kernel)
    closed.set()
    pending = []
    while not pending:
        message = kernel.client.get_iopub_msg(timeout=300)
        data = message["content"].get("data", {}).get(TURN_MIME, {})
        pending = [b for b in data.get("blocks", []) if b.get("approval") == "pending"]
    later = FakePage(kernel, [CELL])
    later.decide = lambda asked: {"decision": "once"}

    _, messages = kernel.finish(request, later.take)
    later.close()

    assert outcome(messages)[:2] == ("user", "success")
    told = [m["type"] for m in later.received if m["type"] != "turn.writer"]
    assert told[:2] == ["turn", "approval.ask"]


def test_an_interrupt_closes_the_question_and_the_next_cell_runs(kernel, server, page):
    request = kernel.start("hi", "a")
    asked = page.wait_for("approval.ask")

    kernel.manager.interrupt_kernel()
    reply, messages = kernel.finish(request, page.take)

    assert reply["ename"] == "KeyboardInterrupt"
    assert last_turn(messages)["status"] == "interrupted"
    assert outcome(messages)[1] == "interrupted"
    assert [m["request_id"] for m in page.got("approval.closed")] == [asked["request_id"]]

    page.say(type="approval.answer", request_id=asked["request_id"], decision="once")
    server.answers = [text("fine")]
    assert kernel.finish(kernel.start("hi", "a"), page.take)[0]["status"] == "ok"


def run_with_stdin(kernel: KernelClient, *lines: str) -> tuple[list[Message], list[str]]:
    """Run a prompt and answer its questions; what came, and the questions."""
    request = kernel.start("hi", "a", allow_stdin=True)
    prompts = []
    for line in lines:
        prompts.append(kernel.client.get_stdin_msg(timeout=300)["content"]["prompt"])
        kernel.client.input(line)
    return kernel.finish(request)[1], prompts


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["y"], ("user", "success")),
        (["Y "], ("user", "success")),
        ([""], ("denied", "denied")),
        (["what?", "yes and no", "y"], ("user", "success")),
        (["n"], ("denied", "denied")),
    ],
)
def test_without_a_page_the_client_is_asked(kernel, server, outside, lines, expected):
    messages, prompts = run_with_stdin(kernel, *lines)

    assert outcome(messages)[:2] == expected
    assert str(outside) in prompts[0]
    assert prompts[0].endswith(
        "[y] once  [s] this tool, this session  [r] a rule for exactly this call  [n reason] no: "
    )
    assert all(p.startswith("Please answer with one of the letters") for p in prompts[1:])


def test_the_typed_reason_for_a_denial_reaches_the_model(kernel, server):
    messages, _ = run_with_stdin(kernel, "n use a.txt instead")

    assert outcome(messages)[2] == "Denied by the user: use a.txt instead"


def test_a_client_that_takes_no_questions_denies_the_call(kernel, server):
    _, messages = kernel.run("hi", "a")

    approval, status, content = outcome(messages)
    assert (approval, status) == ("denied", "denied")
    assert "nobody could be asked" in content


def test_an_interrupt_ends_the_wait_for_a_line_and_a_late_reply_answers_nothing(
    kernel, server, outside
):
    request = kernel.start("hi", "a", allow_stdin=True)
    kernel.client.get_stdin_msg(timeout=300)
    kernel.manager.interrupt_kernel()
    reply, messages = kernel.finish(request)
    assert (reply["ename"], outcome(messages)[1]) == ("KeyboardInterrupt", "interrupted")

    server.answers = [text("unused"), call("read", {"path": str(outside)}), text("done")]
    kernel.client.input("y")
    messages, _ = run_with_stdin(kernel, "n")

    assert outcome(messages)[:2] == ("denied", "denied")


BROKEN = {**CELL, "source": "What is in @[data.csv"}


def run_broken(kernel: KernelClient, decision: str | None) -> tuple[FakePage, Any, list[Message]]:
    page = FakePage(kernel, [BROKEN])
    page.decide = lambda asked: {"decision": decision, "arguments": asked["arguments"]}
    try:
        reply, messages = kernel.finish(kernel.start(BROKEN["source"], "a"), page.take)
    finally:
        page.close()
    return page, reply, messages


def test_a_message_with_a_broken_reference_is_sent_only_if_its_author_wants_it(
    kernel, module_server
):
    module_server.answers = [text("done")]
    page, reply, messages = run_broken(kernel, "no")

    assert reply["status"] == "error"
    (asked,) = page.got("approval.ask")
    assert (asked["subject"], asked["choices"]) == ("message", ["once", "no"])
    assert asked["reason"] == "@[data.csv has no closing bracket on its line."
    assert module_server.requests == []
    assert last_turn(messages)["blocks"][-1] == {
        "type": "error",
        "name": "BrokenReferenceError",
        "message": "Nothing was sent. @[data.csv has no closing bracket on its line.",
    }

    page, reply, messages = run_broken(kernel, "once")
    assert reply["status"] == "ok"
    assert len(module_server.requests) == 1
    notices = [
        block["text"] for block in last_turn(messages)["blocks"] if block["type"] == "notice"
    ]
    assert notices == ["Line 1: @[data.csv has no closing bracket on its line."]


def test_without_a_page_a_broken_reference_is_a_notice(kernel, module_server):
    module_server.answers = [text("done")]

    reply, messages = kernel.finish(kernel.start(BROKEN["source"], None))

    assert reply["status"] == "ok"
    assert len(module_server.requests) == 1
    assert "has no closing bracket" in json.dumps(last_turn(messages))
