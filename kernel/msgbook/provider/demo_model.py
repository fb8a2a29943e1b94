"""The built-in model `demo`: offline, scripted, the same answers on each run.

It answers through the SDK, over a transport inside the process, so that a demo takes the same path as a
server's answer.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

from msgbook.config import DEMO_MODEL, ProviderSettings
from msgbook.provider.openai_chat import OpenAIProvider

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

To talk to a real model, set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for Ollama, vLLM or any \
compatible server, and `MSGBOOK_MODEL`, before you start Jupyter; or write them into \
`msgbook.toml` in Jupyter's configuration directory."""
_SHORT_ANSWER = "It begins: “{first}”. (Without tools the demo model says no more.)"
_NEXT_THOUGHT = "I count the messages that I was sent: they are the cells above this one."
_NEXT_ANSWER = """\
I was sent **{count} messages of yours**, this one included. The first begins: “{first}”. \
The notebook is all my memory: edit, move or delete a cell above, run this one again, and I \
know no other past.

(I am the demo model. `OPENAI_API_KEY` or `OPENAI_BASE_URL`, and `MSGBOOK_MODEL`, lead to a real one.)"""


def demo_provider() -> OpenAIProvider:
    """Return the provider of the demo model; it is used like that of a server."""
    settings = ProviderSettings(DEMO_MODEL, base_url="http://demo.invalid/v1")
    return OpenAIProvider(settings, transport=_transport)


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
    for chunk in _script(body["messages"], has_tools=bool(body.get("tools"))):
        yield b"data: " + json.dumps(chunk).encode() + b"\n\n"
        await asyncio.sleep(_PAUSE)
    yield b"data: [DONE]\n\n"


def _script(messages: list[dict[str, Any]], *, has_tools: bool) -> Iterator[dict[str, Any]]:
    """Yield the chunks of the answer to a request."""
    sent = [_text(m["content"]) for m in messages if m["role"] == "user"]
    # The last one is the prompt itself, however it begins.
    prompts = [*(text for text in sent[:-1] if not _OF_AN_AGENT.match(text)), *sent[-1:]]
    first = " ".join(prompts[0].split())[:60] if prompts else ""
    has_spoken = any(m["role"] == "assistant" for m in messages)
    if messages[-1]["role"] == "tool":
        yield from _say("content", _FIRST_ANSWER.format(image=_IMAGE))
        reason = "stop"
    elif not has_spoken and not has_tools:
        # Also the request for a summary.
        yield from _say("content", _SHORT_ANSWER.format(first=first))
        reason = "stop"
    elif not has_spoken and len(prompts) == len(sent):
        yield from _say("reasoning_content", _FIRST_THOUGHT)
        yield from _call_read()
        reason = "tool_calls"
    else:
        yield from _say("reasoning_content", _NEXT_THOUGHT)
        yield from _say("content", _NEXT_ANSWER.format(count=len(prompts), first=first))
        reason = "stop"
    size = len(_DATA_URL.sub("", json.dumps(messages, ensure_ascii=False)))
    usage = {"prompt_tokens": size // 4, "completion_tokens": 120, "total_tokens": size // 4 + 120}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {"choices": [], "usage": usage}


def _say(field: str, text: str) -> Iterator[dict[str, Any]]:
    for piece in re.findall(r"\S*\s*", text):
        yield {"choices": [{"index": 0, "delta": {field: piece}}]}


def _call_read() -> Iterator[dict[str, Any]]:
    call = {"index": 0, "id": "call_demo_1", "type": "function"}
    for function in (
        {"name": "read", "arguments": ""},
        {"arguments": '{"path"'},
        {"arguments": ': "."}'},
    ):
        yield {"choices": [{"index": 0, "delta": {"tool_calls": [{**call, "function": function}]}}]}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(p.get("text", "") for p in content if isinstance(p, dict))
