"""A chat over Anthropic's Messages API, as a person sees it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chats import open_and_run, saved_turn
from messages_stream import MessageStream, sse
from playwright.sync_api import expect
from scripted_server import Answer, Chunk, ScriptedServer, call, delta, text

CLAUDE = """
[providers.claude]
base_url = "{url}"
api = "anthropic"

[agents.claude]
provider = "claude"
models = ["claude-opus-4-5"]
server_tools = ["web_search"]
"""

PAGES = [
    {"type": "web_search_result", "url": f"https://{name}.invalid/quines", "title": title}
    | {"encrypted_content": "sealed", "page_age": None}
    for name, title in (("a", "Quines"), ("b", "On programs that print themselves"))
]


@pytest.fixture
def claude(config_file: Path, model_server: ScriptedServer) -> Iterator[None]:
    """Kernels that start now have an agent who is asked over Anthropic's API, and may search."""
    before = config_file.read_text()
    config_file.write_text(before + CLAUDE.format(url=model_server.url))
    yield
    config_file.write_text(before)


class Thinks:
    """An answer that thinks, goes on when it is told to, and reads the folder."""

    def __init__(self) -> None:
        self.go = threading.Event()

    @property
    def answer(self) -> Answer:
        return Answer(self._chunks(), pause=0.05)

    def _chunks(self) -> Iterator[Chunk]:
        yield delta(reasoning_content="I look at the folder ")
        while not self.go.is_set():
            yield delta(reasoning_content="")
        yield delta(reasoning_content="first.")
        yield from call("read", {"path": "."}, "toolu_1").chunks


def found() -> Answer:
    """An answer of a server that has searched the web, with a source."""
    stream = MessageStream("claude-opus-4-5", 2, usage={"input_tokens": 9, "output_tokens": 1})
    cited = {
        "type": "web_search_result_location",
        "url": PAGES[0]["url"],
        "title": PAGES[0]["title"],
        "encrypted_index": "sealed",
        "cited_text": "A quine prints itself.",
    }
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": PAGES}
    events = [
        *stream.begin(),
        *stream.call("web_search", "srvtoolu_1", "server_tool_use"),
        *stream.arguments('{"query": "quines"}'),
        *stream.start(result),
        *stream.text("A quine prints its own source.", [cited]),
    ]
    used = {"output_tokens": 12, "server_tool_use": {"web_search_requests": 1}}
    events += stream.end("end_turn", used)
    return Answer(body=sse(events).decode(), content_type="text/event-stream")


@pytest.mark.usefixtures("claude")
def test_a_turn_thinks_calls_searches_and_is_the_same_when_it_is_opened_again(
    lab, lab_root, model_server, screenshot
):
    thinks = Thinks()
    model_server.answers = [thinks.answer, found(), text("You asked about quines.")]
    prompts = ("%%msg agent=claude\nWhat is a quine?", "%%msg agent=claude\nWhat did I ask?")

    cell = open_and_run(lab, lab_root / "claude.ipynb", *prompts)

    expect(cell.get_by_text("I look at the folder")).to_be_visible()
    screenshot("thinking")
    thinks.go.set()
    expect(cell.locator(".msgbook-Text")).to_contain_text("A quine prints its own source.")
    expect(cell.get_by_text('The server searched the web for "quines".')).to_be_visible()
    links = cell.locator(".msgbook-Notice a")
    assert [link.get_attribute("href") for link in links.all()] == [page["url"] for page in PAGES]
    assert cell.locator(".msgbook-Sources a").all_inner_texts() == ["Quines"]
    expect(cell.get_by_text("claude-opus-4-5")).to_be_visible()
    screenshot("answered")
    first, second = model_server.requests
    assert [block["type"] for block in second["messages"][1]["content"]] == ["thinking", "tool_use"]
    assert first["tools"][-1]["name"] == "web_search"
    before = lab.cells()[0]["outputs"]
    lab.save()

    lab.close_all()
    lab.open("claude.ipynb")

    expect(lab.cell(0).locator(".msgbook-Text")).to_contain_text("A quine prints its own source.")
    expect(lab.cell(0).get_by_text('The server searched the web for "quines".')).to_be_visible()
    assert lab.cell(0).locator(".msgbook-Notice a").count() == len(PAGES)
    assert lab.cells()[0]["outputs"] == before
    screenshot("reopened")
    lab.wait_for_kernel()
    lab.run(1)
    expect(lab.cell(1).get_by_text("You asked about quines.")).to_be_visible()
    assert "thinking" not in [
        b["type"] for m in model_server.requests[-1]["messages"] for b in m["content"]
    ]
    assert saved_turn(lab_root / "claude.ipynb")["usage"]["web_searches"] == 1
    assert set(model_server.paths) == {"/messages"}
    assert model_server.refused == []
    assert lab.requests == []
