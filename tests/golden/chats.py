"""Conversations that are answered: their requests over both APIs, the file, the turns and the terminal."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from engine_turns import no_sleep
from mcp_turns import FAULTY
from recorded_turns import PIXEL
from scripted_server import Answer, call, delta, error, finish, text
from team import Play, dispatch, play, report, said

from msgbook.approval import Approver, Rules, load_with_project
from msgbook.cli.file_prompts import prompts_to_answer
from msgbook.cli.file_turns import FileTurns
from msgbook.cli.incomplete_answers import answer_prompts
from msgbook.cli.screen import Screen
from msgbook.display.console import TextDisplay
from msgbook.display.turn_view import TurnView
from msgbook.engine import Conversation, Services
from msgbook.notebook import Cell, Document
from msgbook.turn import TurnRecord
from msgbook_format.turn import blocks_of_type, turn_of

from .world import CountedIds, Record, World

YES = text("Yes.")


@dataclass(frozen=True)
class Chat:
    """A conversation before it is answered, and what happens then."""

    text: str
    answers: Sequence[Answer] = (YES,)
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    settings: str = ""
    approval: str = "ask"
    lines: Sequence[str] = ()
    """What the user types when asked."""
    play: Callable[[], Play] | None = None
    """Answers of several conversations, in place of `answers`."""
    is_interrupted: bool = False
    """Whether the user presses Ctrl+C as soon as all of an answer that holds still is there."""
    runs: int = 1
    """Times that the file is answered; the later times, its files may be others."""
    later_files: Mapping[str, str | bytes] = field(default_factory=dict)
    shows_tools: bool = False
    """Whether the record has the schemas of the tools, and not their names alone."""


def run_chat(chat: Chat, api: str, world: World) -> Record:
    """Answer the prompts of a file as `msgbook run` does."""
    world.write({"chat.msg.md": chat.text, **chat.files})
    (world.folder / ".msgbook").mkdir(exist_ok=True)
    world.configure(api, chat.settings, MSGBOOK_APPROVAL=chat.approval)
    world.server.answers = list(chat.answers)
    world.server.choose = chat.play() if chat.play else None
    for number in range(chat.runs):
        if number:
            world.write(chat.later_files)
        asyncio.run(_answer(chat, world))
    record = Record()
    record.add("terminal", world.output())
    for path in sorted(world.folder.rglob("*")):
        name = path.relative_to(world.folder).as_posix()
        is_written = name not in chat.files and "/blobs/" not in name and path.is_file()
        if is_written:
            record.add(name, path.read_text("utf-8"))
    turns = [
        turn
        for cell in Document.read(world.folder / "chat.msg.md").cells
        for turn in map(turn_of, cell.get("outputs", []))
        if turn
    ]
    record.add("turns", turns)
    for name, request in _requests(chat, world):
        record.add(name, request)
    return record


async def _answer(chat: Chat, world: World) -> None:
    document = Document.read(world.folder / "chat.msg.md")
    settings, rules = load_with_project(world.folder)
    typed = iter(chat.lines)

    async def read_line(prompt: str) -> str:
        print(prompt, end="")
        return next(typed, "")

    engine = Conversation(
        Services(settings, ids=CountedIds(), sleep=no_sleep, clock=lambda: 0.0),
        world.folder,
        approver=Approver(settings.approval, world.folder, Rules(rules)),
    )
    # What is seen of agents that run side by side depends on when one looks.
    is_live = chat.play is None
    kind = _InterruptingScreen if chat.is_interrupted else Screen
    screen = kind(
        "run",
        is_live,
        lambda cell: f"## {cell['id']}",
        lambda _, turn: turn["status"],
        lambda _c: "",
    )
    answering = FileTurns(document, engine, screen, read_line if chat.lines else None)
    numbers = prompts_to_answer(document.cells, document.cell_rule, 0, again=False)
    try:
        await answer_prompts(answering, document, numbers, [], _tell)
    finally:
        await engine.services.close()


class _InterruptingScreen(Screen):
    """The terminal of a user who presses Ctrl+C at the first full stop."""

    def begin(self, cell: Cell, record: TurnRecord) -> TurnView:
        print(f"## {cell['id']}")
        task = asyncio.current_task()
        assert task is not None
        return _InterruptingDisplay(record, task)


class _InterruptingDisplay(TextDisplay):
    def __init__(self, record: TurnRecord, task: asyncio.Task[Any]) -> None:
        super().__init__(record, lambda _kind, content: print(content["text"], end=""))
        self._turn, self._task = record, task

    def changed(self) -> None:
        super().changed()
        said = blocks_of_type(self._turn.snapshot()["blocks"], "text")
        is_said = any(block["text"].endswith(".") for block in said)
        if is_said and not self._task.cancelling():
            self._task.cancel()


def _tell(place: str, words: str, advice: str) -> None:
    print(f"{place}: {words} ({advice})")


def _requests(chat: Chat, world: World) -> list[tuple[str, Any]]:
    """The bodies, each without the messages that it shares with the one before it."""
    bodies = world.server.requests
    if chat.play:
        # Those of sub-agents come in any order.
        first = {id(b): said(m) for b in bodies for m in reversed(_said(b)) if _is_user(m)}
        bodies = sorted(bodies, key=lambda body: first[id(body)])
    found, before = [], list[Any]()
    for number, body in enumerate(bodies, 1):
        shown = json.loads(json.dumps(body))
        key = "messages" if "messages" in shown else "input"
        messages = shown[key]
        same = _same(before, messages)
        if same:
            shown[key] = [f"... the first {same} messages of the request before", *messages[same:]]
        if shown.get("tools") and not chat.shows_tools:
            shown["tools"] = " ".join(
                tool.get("name") or tool["function"]["name"] for tool in shown["tools"]
            )
        found.append((f"request {number} to {world.server.paths[0]}", shown))
        before = messages
    return found


def _said(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = body.get("messages") or body["input"]
    return messages


def _is_user(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "user"


def _same(before: Sequence[Any], now: Sequence[Any]) -> int:
    equal = [one == other for one, other in zip(before, now, strict=False)]
    return equal.index(False) if False in equal else len(equal)


def cells(*sources: str, frontmatter: str = "") -> str:
    """A message file of prompts; a source that begins with a footnote's type has its own head."""
    head = f"---\n{frontmatter}---\n\n" if frontmatter else ""
    out = []
    for number, source in enumerate(sources):
        footnote = f"[^c{number}]: {source}" if source.startswith("[") else source
        out.append(f"# %% [^c{number}]\n\n{footnote}\n\n")
    return head + "".join(out)


PRICES = "[providers.openai.prices]\nm = { input = 1.0, output = 2.0 }\nw-1 = { input = 1.0, output = 2.0 }\n"
AGENTS = """\
agents:
  writer:
    models: [w-1, w-2]
    context_window: 100000
    max_output_tokens: 50
    reasoning: true
    temperature: 0.5
    system_prompt: You write.
  exact: {models: e-1, temperature: 0.5, use_temperature: false, tools: [read, grep]}
  narrow: {models: n-1, allowed_uris: [src], tools: [read], mcp_servers: []}
  odd: {models: 5, tools: {}, temprature: 1, extra: {top_p: 0.5, base_url: x}}
"""

HISTORY = """\
# %% System[^rule]

[^rule]: [markdown] cell=markdown role=system

Be brief.

# %% Hidden[^hidden]

[^hidden]: [markdown] history=exclude

Nobody reads this.

# %%% [^hidden-1]

[^hidden-1]: [assistant]

Nor this.

# %% Summed up[^sum]

[^sum]: [markdown] history="summary" summary="They talked." summary_of="sha256:00"

A long talk.

# %%% [^sum-1]

[^sum-1]: [assistant]

A long answer.

# %% A note[^note]

[^note]: [markdown] cell=markdown

A note for the model.

# %% Code[^code]

[^code]: [code]

```python
print(1 + 1)
```

# %%% [^code-1]

stdout> 2

# %%% [^code-2]

[^code-2]: [python] history="exclude"

hidden

# %% Tools[^tools]

[^tools]: [markdown]

Look.

# %%% [^tools-1]

[^tools-1]: [assistant] reasoning=1

I look.

# %%% [^tools-1.00000001]

[^tools-1.00000001]: [tool] name="read" call="call_1" approval="auto"

<tool_call><arguments>{"path": "a.txt"}</arguments></tool_call>

# %%% [^tools-1.00000001.1]

[^tools-1.00000001.1]: [tool] status="success"

one

# %%% [^tools-2]

[^tools-2]: [other] unfinished

It says one, and

# %% Unknown[^odd]

[^odd]: [markdown] history=sometimes

Is this sent?

# %%% [^odd-1]

[^odd-1]: [assistant] model="m"

It was.

# %% [^last]

And now?
"""

RULES = {
    "AGENTS.md": "Follow the house style of {{house}}.",
    ".msgbook/rules/api.md": "Use {{API_VERSION}}.\n<!-- @ifdef city -->In {{city}}.<!-- @else -->Nowhere.<!-- @endif -->\n",
    ".msgbook/agents/helper.md": "---\ndescription: Helps.\nmodels: h-1\nrules: [api.md]\nskills: [pdf]\n---\nYou help.\n",
    ".agents/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF.\n---\nHow to read.\n",
}
REFERRED = {
    "a.py": "VERSION = '{{API_VERSION}}'\nB = 2\nC = 3\n",
    "notes.md": "See @[more.txt].\n",
    "more.txt": "more\n",
    "src/one.txt": "1\n",
    "src/two.txt": "2\n",
    "data.bin": b"\0\1\2\xff" * 20,
    "latin.txt": "Gr\u00fc\u00dfe aus K\u00f6ln, sch\u00f6ne Gr\u00fc\u00dfe\n".encode("latin-1"),
    "book.ipynb": json.dumps(
        {
            "cells": [{"cell_type": "markdown", "metadata": {}, "source": "# Title"}],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 4,
        }
    ),
}
WRITES = [
    call("write", {"path": "new.txt", "content": "one\ntwo\n"}, "w1"),
    call("edit", {"path": "new.txt", "old": "two", "new": "2"}, "e1"),
    text("Written."),
]
THINKS = Answer(
    [
        delta(role="assistant", reasoning_content="I "),
        delta(reasoning_content="think."),
        delta(content="Half an "),
        delta(content="answer"),
        finish(
            "length",
            {
                "prompt_tokens": 20,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 8},
            },
        ),
    ]
)
TWO_CALLS = Answer(
    [
        delta(
            tool_calls=[
                {
                    "index": 0,
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"path": "a.py"}'},
                }
            ]
        ),
        delta(
            tool_calls=[
                {
                    "index": 1,
                    "id": "c2",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"path": "gone.py"}'},
                }
            ]
        ),
        finish("tool_calls"),
    ]
)

CHATS = {
    "plain": Chat(cells("Hello", "%%msg history=exclude\nNot kept", "Again"), shows_tools=True),
    "history": Chat(HISTORY),
    "references": Chat(
        cells(
            "#define API_VERSION v2\nSee @[a.py:1:2], @[a.py], @notes.md and @[src/].",
            "@[src/*.txt] @[cell:c0] @[book.ipynb] @[data.bin] @[latin.txt]",
            "@[gone.txt] @[cell:none] @[py:x] @[nothing{}] @[a.py:9:1] @[unclosed",
            'Again @[a.py] `@[a.py]` \\@[a.py] @[read{"path": "more.txt"}]',
        ),
        files=REFERRED,
    ),
    "changed-files": Chat(
        cells("@[a.txt]"),
        files={"a.txt": "one"},
        runs=2,
        later_files={
            "a.txt": "two",
            "chat.msg.md": cells("@[a.txt]", "Never sent: @[a.txt]", "%prune", "And @[a.txt]?"),
        },
    ),
    "rules-and-skills": Chat(
        cells(
            "#define city Rome\nHi",
            "%%msg agent=helper\n#define API_VERSION v2\nHelp",
            "%agent default helper",
            "Hm",
        ),
        files=RULES,
    ),
    "images": Chat(
        cells(
            'Before ![x](my chart.png "A chart, detail=low") after.',
            "![web](https://example.org/p.png) ![gone](gone.png) ![text](a.txt)",
        ),
        files={"my chart.png": PIXEL, "a.txt": "x"},
    ),
    "agents": Chat(
        cells(
            "Hi",
            "%%msg agent=exact\nHi",
            "%%msg agent=odd\nHi",
            "%%msg agent=narrow\n@[src/one.txt] @[a.py]",
            frontmatter=AGENTS,
        ),
        files={"src/one.txt": "1", "a.py": "2"},
    ),
    "unknown-agent": Chat(cells("%%msg agent=nobody\nHi", frontmatter=AGENTS)),
    "temporary-agent": Chat(
        cells(
            "%agent new fast models=f-1 system_prompt=Hurry. temperature=0",
            "%agent default fast",
            "Hi",
            "%model other",
            "Hi",
        )
    ),
    "project-settings": Chat(
        cells("Hi"),
        files={".msgbook/config.toml": 'model = "theirs"\n[limits]\nmax_steps = 3\n'},
        settings="[limits]\nmax_steps = 2\n",
        answers=[call("read", {"path": "."}, f"c{n}") for n in range(3)],
    ),
    "summaries": Chat(
        cells("[markdown] history=summary\n\nA long question", "Now?"),
        answers=[text("A long answer."), text("They talked."), text("Fine.")],
    ),
    "too-long": Chat(
        cells(
            "[markdown] cell=markdown\n\nA long note. " + "More. " * 1500,
            "Hi",
            frontmatter="agents:\n  small: {models: s, context_window: 2000}\n",
        )
    ),
    "files-written": Chat(cells("Write."), answers=WRITES, approval="allow"),
    "files-asked": Chat(cells("Write."), answers=WRITES, approval="ask", lines=("y", "n")),
    "files-denied": Chat(cells("Write."), answers=WRITES, approval="deny"),
    "files-read": Chat(
        cells("Read."),
        answers=[
            TWO_CALLS,
            call("grep", {"pattern": "B"}, "g"),
            call("glob", {"pattern": "src/*"}, "l"),
            call("nothing", {}, "n"),
            call("read", {"pth": 1}, "bad"),
            text("Read."),
        ],
        files=REFERRED,
    ),
    "shell": Chat(
        cells("Run."),
        answers=[call("shell", {"command": "echo out; echo err >&2; exit 3"}, "s"), text("Ran.")],
        approval="allow",
    ),
    "repeated-calls": Chat(
        cells("Read."),
        answers=[call("read", {"path": "a.txt"})],
        files={"a.txt": "x"},
        settings="[limits]\nmax_steps = 6\n",
    ),
    "cut-short": Chat(cells("Go."), answers=[THINKS]),
    "continued": Chat(cells("Go.", "Continue."), answers=[THINKS, YES]),
    "refused-key": Chat(
        cells("Hi", "More"), answers=[error(401, "Incorrect API key provided: sk-abc.")]
    ),
    "unknown-model": Chat(
        cells("Hi", frontmatter=AGENTS), answers=[error(404, "The model `w-1` does not exist"), YES]
    ),
    "adapted": Chat(
        cells("%%msg agent=writer\nHi", "Hi", frontmatter=AGENTS),
        answers=[
            error(400, "Unsupported parameter: 'temperature' is not supported with this model."),
            error(400, "Unrecognized request argument supplied: reasoning_effort"),
            YES,
        ],
    ),
    "too-long-for-server": Chat(
        cells("Hi"),
        answers=[
            error(
                400,
                "This model's maximum context length is 10 tokens. However, your messages resulted in 50 tokens.",
            )
        ],
    ),
    "broken-off": Chat(
        cells("Hi"),
        answers=[
            Answer([delta(role="assistant", content="Half")], done=False),
            Answer([], done=True),
        ],
    ),
    "not-streamed": Chat(
        cells("Hi"),
        answers=[
            Answer(
                body=json.dumps(
                    {
                        "choices": [
                            {
                                "index": 0,
                                "message": {"role": "assistant", "content": "Whole."},
                                "finish_reason": "stop",
                            }
                        ],
                        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
                        "model": "real",
                    }
                )
            )
        ],
    ),
    "a-page-of-html": Chat(
        cells("Hi"),
        answers=[
            Answer(status=200, body="<html><title>Log in</title></html>", content_type="text/html")
        ],
    ),
    "interrupted": Chat(
        cells("Hi", "More"),
        answers=[Answer([delta(role="assistant", content="I be"), delta(content="gin.")], hold=2)],
        is_interrupted=True,
    ),
    "sub-agents": Chat(
        cells("ask two"),
        play=partial(
            play,
            [
                dispatch(
                    "count the apples",
                    {"prompt": "count the pears", "allowed_uris": ["data"]},
                    broadcast="Fruit.",
                ),
                text("All is well."),
            ],
            {
                "apples": report("3 apples"),
                "pears": [call("read", {"path": "data/p.txt"}, "r"), report("5 pears")],
            },
        ),
        files={"data/p.txt": "5\n"},
    ),
    "mcp": Chat(
        cells("Use it.", frontmatter="agents:\n  a: {mcp_servers: [files]}\n"),
        answers=[
            call("mcp__files__echo", {"text": "hi"}, "e"),
            call("mcp__files__look", {"text": "x"}, "l"),
            text("Used."),
        ],
        settings=f'[mcp_servers.files]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(FAULTY)}, "none"]\n',
        approval="allow",
    ),
    "secrets": Chat(
        cells("My key is sk-my-very-secret-key, see @[a.txt]."),
        files={"a.txt": "key=sk-my-very-secret-key\n"},
        answers=[text("It is sk-my-very-secret-key.")],
        settings='[providers.other]\nbase_url = "http://127.0.0.1:9/v1"\napi_key = "sk-my-very-secret-key"\n',
    ),
}

SCENARIOS = {
    f"{name}-{api}": partial(run_chat, chat, api)
    for name, chat in CHATS.items()
    for api in ("chat", "responses")
}
