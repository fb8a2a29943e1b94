"""What a question looks like as text: nothing hidden, nothing that looks like ours."""

from __future__ import annotations

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st

from msgbook.approval import Answer, ApprovalRequest, InputLine, Question, ask_by_line
from msgbook.approval.question import format_question, parse_answer


def question(name="write", arguments="{}", reason="why", preview="", *, always_asks=False):
    call = {"type": "tool_call", "id": "c", "name": name, "arguments": arguments}
    return Question(call, ApprovalRequest(reason, preview, always_asks))


def test_the_question_shows_tool_arguments_reason_and_difference():
    asked = question("edit", '{"path": "a.py"}', "it changes a.py", "-old\n+\tnew")

    assert format_question(asked) == (
        "edit needs your approval, since it changes a.py.\n"
        '    {"path": "a.py"}\n'
        "    -old\n"
        "    +\tnew\n"
        "[y] once  [s] this tool, this session  [r] a rule for exactly this call  [n reason] no: "
    )


def test_a_question_of_a_sub_agent_says_whose_it_is():
    call = {"type": "tool_call", "id": "u/c", "name": "mkdir", "arguments": "{}"}
    asked = Question(call, ApprovalRequest("why"), asker=("Docs\n\u202e", "Helper"))

    first, second, *_ = format_question(asked).split("\n")

    assert first == "A call of the sub-agent Docs\\n\\u202e › Helper:"
    assert second == "mkdir needs your approval, since why."


def test_a_question_that_always_asks_offers_only_once_and_no():
    assert format_question(question(always_asks=True)).endswith("\n[y] once  [n reason] no: ")


def test_invisible_characters_are_written_out():
    asked = question(
        arguments='{"path": "a\u202egpj.exe\u200b\u00a0\x1b[2K\U000e0041\u3164\ufe0f\U000e0101"}'
    )

    assert (
        "a\\u202egpj.exe\\u200b\\u00a0\\u001b[2K\\U000e0041\\u3164\\ufe0f\\U000e0101"
        in format_question(asked)
    )


@given(st.text(), st.text(), st.text(), st.text())
def test_no_text_from_elsewhere_begins_a_line_of_the_question(name, arguments, reason, preview):
    lines = format_question(question(name, arguments, reason, preview)).split("\n")

    assert all(line.startswith("    ") for line in lines[1:-1])
    assert all(c.isprintable() or c == "\t" for line in lines for c in line)


def test_answers():
    assert parse_answer(" y ") == Answer("once")
    assert parse_answer("s") == Answer("session")
    assert parse_answer("r") == Answer("rule")
    assert parse_answer("") == Answer("no")
    assert parse_answer("no  because of that ") == Answer("no", "because of that")
    for odd in ("yy", "y please", "maybe", "ny"):
        assert parse_answer(odd) is None


def test_another_word_asks_again():
    lines, prompts = ["hm", "s"], []

    async def read(prompt: str) -> str:
        prompts.append(prompt)
        return lines.pop(0)

    assert asyncio.run(ask_by_line(question(arguments=json.dumps({})), read)) == Answer("session")
    assert len(prompts) == 2


class Typist:
    """A line of input that shows prompts and waits for what is typed."""

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.shown = asyncio.Event()
        self.typed: asyncio.Queue[str] = asyncio.Queue()

    async def read(self, prompt: str) -> str:
        self.prompts.append(prompt)
        self.shown.set()
        return await self.typed.get()


def test_the_answer_to_a_question_that_was_withdrawn_is_not_the_answer_to_the_next():
    async def ask_twice() -> Answer | None:
        typist = Typist()
        ask = InputLine().asker(typist.read)
        assert ask is not None
        withdrawn = asyncio.ensure_future(ask(question("write")))
        await typist.shown.wait()
        following = asyncio.ensure_future(ask(question("shell")))
        withdrawn.cancel()
        await asyncio.wait([withdrawn])
        typist.typed.put_nowait("y")
        typist.typed.put_nowait("n not that")
        answer = await following
        assert [prompt.split()[0] for prompt in typist.prompts] == ["write", "shell"]
        return answer

    assert asyncio.run(ask_twice()) == Answer("no", "not that")


def test_nothing_is_read_any_longer_after_the_turn():
    async def run_turn() -> None:
        typist, before = Typist(), asyncio.all_tasks()

        async def turn() -> None:
            ask = InputLine().asker(typist.read)
            assert ask is not None
            asking = asyncio.ensure_future(ask(question()))
            await typist.shown.wait()
            asking.cancel()
            await asyncio.wait([asking])

        await asyncio.ensure_future(turn())
        left = asyncio.all_tasks() - before
        if left:
            await asyncio.wait(left)
        assert typist.prompts

    asyncio.run(asyncio.wait_for(run_turn(), 300))
