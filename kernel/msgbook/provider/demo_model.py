"""The built-in model `demo`: offline, scripted, the same answers on each run.

It answers through the SDK, over a transport inside the process, so that a demo takes the same path as a
server's answer.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Collection, Generator, Iterator, Mapping, Sequence
from typing import Any

from msgbook.config import DEMO_MODEL, ProviderSettings
from msgbook.provider.base import Wire
from msgbook.provider.openai_server import OpenAIProvider
from msgbook.text import excerpt

# A 24 by 24 PNG, a filled circle.
_IMAGE = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAYAAADgdz34AAAAn0lEQVR42r2VsQ3AIAwEswM7RGI52kzARmzBGB4h"
    "pQviwkgIRQER3sU1yPkTAezjvs4DyajACUFIAgmskK4FrVkSRA0rA1hrpwVeyBPBPVm//RR43X5ZhHpJL8g/wtud"
    "vArihvBK7AVu8kBn4Xq7qiBsDK+EVpAAgtQKCCCgVsAAAZsK4L8Ifsjwawp/aPBWYdLsTNo1fOCYjEyzob+FB779"
    "/rWN2/FdAAAAAElFTkSuQmCC"
)

_PAUSE = 0.012
"""Seconds between two pieces of an answer, so that a person sees it stream."""

_DATA_URL = re.compile(r"data:[^\")\\]+")
"""No server counts the characters of an image as text."""

_OF_AN_AGENT = re.compile(r"\[(?!system\])[^\]\n]+\] ")
"""How the turn of another agent begins, which is sent as a message of the user."""

_TASK = re.compile(r"^- ([\w-]+): (.+)$", re.MULTILINE)
"""A task of a message for another agent: `- reviewer: Look for mistakes in the folder.`"""

_REFERENCES = re.compile(r"<content_reference>\n(.*)\n</content_reference>\s*\Z", re.DOTALL)
"""What a message brings along, as JSON at its end."""
_BROUGHT = "This message brought along: {names}. "

_LIKE_ME = "assistant"
"""Names the agent that answers, in a conversation that defines none."""

_DISPATCH, _FINISH = "dispatch_subagents", "task_finish"
_EDIT, _RUN = "edit_cell", "run_cell"

_FIRST_THOUGHT = (
    "This is the first message that I answer. I will look at the folder of the notebook, so that "
    "the reader sees a tool call, and then answer with a bit of everything that Markdown can do."
)
_FIRST_ANSWER = """\
Hello! I am the **demo model**: I am built in, I need no account and no network, and my answers \
are written in advance. Above you see my reasoning and a tool call, each in a block that opens \
with a click. An answer can hold

- *Markdown*, with `code` in it,
- mathematics such as $e^{{i\\pi}} + 1 = 0$,
- images: ![a circle]({image})

```python
def greet(name: str) -> str:
    return f"Hello, {{name}}!"
```

$$\\sum_{{k=1}}^{{n}} k = \\frac{{n(n+1)}}{{2}}$$

To talk to a real model, choose **Connect a Model…** in JupyterLab's launcher or command palette. \
Elsewhere, set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for Ollama, vLLM or any compatible server, and \
`MSGBOOK_MODEL`, before you start Jupyter."""
_TASK_THOUGHT = "This is my task. I look at the folder, and then I report."
_TEAM_THOUGHT = (
    "This message lists tasks for other agents. I start one sub-agent for each of them and wait until "
    "all have reported."
)
_TEAM_ANSWER = """\
**My sub-agents have reported: {count}.** They worked side by side, each in a conversation of its own. \
The names above open these conversations: you can read each step, and send further messages."""
_NO_TEAM_ANSWER = "No sub-agent was started, and the result of my call says why."
_REPORT = (
    "My task begins: “{first}”. I read the names in the folder: {count}. (I am the demo model; another "
    "model would do the task.)"
)
_SHORT_ANSWER = "It begins: “{first}”. (Without tools the demo model says no more.)"
_NEXT_THOUGHT = "I count the messages that I was sent: they are the cells above this one."
_NEXT_ANSWER = """\
I was sent **{count} messages of yours**, this one included. The first begins: “{first}”. {brought}\
The notebook is all my memory: edit, move or delete a cell above, run this one again, and I \
know no other past.

(I am the demo model. **Connect a Model…** in JupyterLab's launcher leads to a real one.)"""


def demo_provider(wire: Wire) -> OpenAIProvider:
    """Return the provider of the demo model; it is used like that of a server."""
    settings = ProviderSettings(DEMO_MODEL, base_url="http://demo.invalid/v1")
    return OpenAIProvider(settings, transport=_transport, wire=wire)


def _transport(http: Any) -> Any:
    """Return a transport of an HTTP library (`httpx` or `httpx2`) that answers by the script."""

    async def respond(request: Any) -> Any:
        if request.url.path.endswith("/models"):
            models = {"object": "list", "data": [{"id": DEMO_MODEL, "object": "model"}]}
            return http.Response(200, json=models)
        body = json.loads(await request.aread())
        headers = {"content-type": "text/event-stream"}
        return http.Response(200, headers=headers, content=_stream(body))

    return http.MockTransport(respond)


async def _stream(body: dict[str, Any]) -> AsyncIterator[bytes]:
    offered = [tool["function"]["name"] for tool in body.get("tools", ())]
    for chunk in _script(body["messages"], offered):
        yield b"data: " + json.dumps(chunk).encode() + b"\n\n"
        await asyncio.sleep(_PAUSE)
    yield b"data: [DONE]\n\n"


def _script(messages: list[dict[str, Any]], offered: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the chunks of the answer to a request.

    Args:
        offered: The names of the tools.
    """
    sent = [_text(m["content"]) for m in messages if m["role"] == "user"]
    # The last one is the prompt itself, however it begins.
    own = [*(text for text in sent[:-1] if not _OF_AN_AGENT.match(text)), *sent[-1:]]
    prompts = [*(text for text in own[:-1] if not CODE.match(text)), *own[-1:]]
    first = excerpt(prompts[0], 60).rstrip(".?!") if prompts else ""
    has_spoken = any(m["role"] == "assistant" for m in messages)
    tasks = _TASK.findall(sent[-1]) if sent and _DISPATCH in offered else []
    brought = _brought(sent[-1]) if sent else {}
    numbers = about_numbers(brought)
    reason = "stop"
    if messages[-1]["role"] == "tool":
        reason = yield from _go_on(messages, offered, first)
    elif tasks:
        yield from _say("reasoning_content", _TEAM_THOUGHT)
        team = [
            {"prompt": task} | ({} if agent == _LIKE_ME else {"agent_type": agent})
            for agent, task in tasks
        ]
        yield from _call(_DISPATCH, {"context_broadcast": "", "sub_agents": team})
        reason = "tool_calls"
    elif numbers is not None:
        yield from _say("reasoning_content", NUMBERS_THOUGHT)
        yield from _say("content", numbers)
    elif is_below_the_error(sent):
        reason = yield from _help(sent[-1], offered)
    elif not has_spoken and not offered:
        # Also the request for a summary.
        yield from _say("content", _SHORT_ANSWER.format(first=first))
    elif not has_spoken and len(own) == len(sent):
        thought = _TASK_THOUGHT if _FINISH in offered else _FIRST_THOUGHT
        yield from _say("reasoning_content", thought)
        yield from _call("read", {"path": "."})
        reason = "tool_calls"
    else:
        yield from _say("reasoning_content", _NEXT_THOUGHT)
        names = ", ".join(f"`{name}`" for name in brought)
        words = _BROUGHT.format(names=names) if names else ""
        answer = _NEXT_ANSWER.format(count=len(prompts), first=first, brought=words)
        yield from _say("content", answer)
    size = len(_DATA_URL.sub("", json.dumps(messages, ensure_ascii=False)))
    usage = {"prompt_tokens": size // 4, "completion_tokens": 120, "total_tokens": size // 4 + 120}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {"choices": [], "usage": usage}


def _help(message: str, offered: Collection[str]) -> Generator[dict[str, Any], None, str]:
    """Yield the answer to a message below the sample's error, and return its finish reason."""
    yield from _say("reasoning_content", ERROR_THOUGHT)
    cell = cell_to_change(message)
    if cell is None or _EDIT not in offered:
        yield from _say("content", EXPLANATION)
        return "stop"
    change = {"cell": cell, "old": BROKEN, "new": MENDED}
    yield from _call(_EDIT, change)
    return "tool_calls"


def _go_on(
    messages: list[dict[str, Any]], offered: Collection[str], first: str
) -> Generator[dict[str, Any], None, str]:
    """Yield the answer to the result of a tool, and return its finish reason."""
    result = _text(messages[-1]["content"])
    calls = next(m["tool_calls"] for m in reversed(messages) if m.get("tool_calls"))
    called = calls[0]["function"]
    is_changed = called["name"] == _EDIT and result.startswith("--- ")
    if is_changed and _RUN in offered:
        yield from _call(_RUN, {"cell": json.loads(called["arguments"])["cell"]}, "call_demo_2")
        return "tool_calls"
    if called["name"] in (_EDIT, _RUN):
        is_changed = is_changed or called["name"] == _RUN
        answer = CHANGED if is_changed else UNCHANGED
        yield from _say("content", answer)
        return "stop"
    if called["name"] == _DISPATCH:
        count = result.count("### Sub-agent ")
        answer = _TEAM_ANSWER.format(count=count) if count else _NO_TEAM_ANSWER
        yield from _say("content", answer)
        return "stop"
    if _FINISH in offered:
        report = _REPORT.format(first=first, count=len(result.splitlines()))
        yield from _call(_FINISH, {"context_summary": report})
        return "tool_calls"
    yield from _say("content", _FIRST_ANSWER.format(image=_IMAGE))
    return "stop"


def _brought(message: str) -> dict[str, str]:
    """Return the texts that the references of a message brought, by their names."""
    found = _REFERENCES.search(message)
    try:
        files = json.loads(found[1])["files"] if found else {}
        return {str(name): str(text) for name, text in files.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}  # the user's own text has such an element


def _say(field: str, text: str) -> Iterator[dict[str, Any]]:
    for piece in re.findall(r"\S*\s*", text):
        yield {"choices": [{"index": 0, "delta": {field: piece}}]}


def _call(
    name: str, arguments: dict[str, Any], call_id: str = "call_demo_1"
) -> Iterator[dict[str, Any]]:
    text = json.dumps(arguments, ensure_ascii=False)
    call = {"index": 0, "id": call_id, "type": "function"}
    middle = len(text) // 2
    for function in (
        {"name": name, "arguments": ""},
        {"arguments": text[:middle]},
        {"arguments": text[middle:]},
    ):
        yield {"choices": [{"index": 0, "delta": {"tool_calls": [{**call, "function": function}]}}]}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(p.get("text", "") for p in content if isinstance(p, dict))


# In the sample notebook of Python: about numbers that a message brings, and about the cell that fails. That the
# sample has these cells is a rule of tests/provider/test_demo_python.py.


CODE = re.compile(r"(?:I ran this code|This code has not been run):\n")
"""How the message begins that tells of a cell of code."""

FAILING_CELL = "average"
BROKEN = 'autumn = [rain["September"], rain["October"], rain["November"]]'
MENDED = 'autumn = [rain["October"], rain["November"]]'
"""The id of the sample's cell that fails, the line for which it fails, and what takes its place."""

_ERROR = "KeyError: 'September'"
_CELL = re.compile(r"`([^`\s]+)`")
"""The cell that **Fix** names. Its words are in the language of the page."""

_MAPPING = re.compile(r"dict, (\d+) items:\n")
_NUMBER = re.compile(r"^'(.+)': (-?\d+(?:\.\d+)?)$", re.MULTILINE)

NUMBERS_THOUGHT = "The message brings a variable with numbers. I compare them and add them up."
_NUMBERS_ANSWER = """\
**{largest}** has the largest number, {most:g}, and {smallest} the smallest, {least:g}. The {count} numbers in \
`{name}` add up to **{total:g}**, which is {mean:.1f} on average.

I was sent what the variable holds now, and the code above with its output. If you change that code, the page marks \
this answer as stale.

(I am the demo model: I can add numbers, but I cannot read your question. **Connect a Model…** in JupyterLab's launcher \
leads to a real one.)"""

ERROR_THOUGHT = (
    "Above this message stands a cell with a KeyError, and the code that made `rain` leaves out the "
    "months without a number."
)
EXPLANATION = """\
`KeyError: 'September'` means that the dictionary `rain` has no such key. `rain.csv` has no number for September, and \
the cell that loads it leaves such months out.

**Fix** below the error asks me to change the cell."""
CHANGED = """\
The cell takes only months that `rain` has. September is not among them, since `rain.csv` has no number for it, so \
the average is that of two months.

You saw the change before it was made. **Edit > Undo Cell Operation** takes it back."""
UNCHANGED = "The cell is as it was, and the result of my call says why."


def about_numbers(files: Mapping[str, str]) -> str | None:
    """Return an answer about the first variable with numbers that a message brings; None if there is none."""
    for key, text in files.items():
        header, numbers = _MAPPING.match(text), _NUMBER.findall(text)
        # Of a long one only the beginning is sent, and of it there is nothing to say about the whole.
        if key.startswith("py:") and header and len(numbers) == int(header[1]):
            values = {name: float(number) for name, number in numbers}
            total = sum(values.values())
            largest, smallest = (pick(values, key=lambda n: values[n]) for pick in (max, min))
            return _NUMBERS_ANSWER.format(
                name=key.removeprefix("py:"),
                largest=largest,
                most=values[largest],
                smallest=smallest,
                least=values[smallest],
                count=len(values),
                total=total,
                mean=total / len(values),
            )
    return None


def is_below_the_error(sent: Sequence[str]) -> bool:
    """Return whether the last of the user's messages stands right below the cell of the sample that has failed."""
    return (
        len(sent) > 1
        and all(part in sent[-2] for part in (BROKEN, _ERROR))
        and bool(CODE.match(sent[-2]))
    )


def cell_to_change(message: str) -> str | None:
    """Return the id of the cell that fails if a message names it, as **Fix** does; None for other messages."""
    return FAILING_CELL if FAILING_CELL in _CELL.findall(message) else None
