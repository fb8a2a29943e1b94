"""What a server sends beside the answer: sources, its items, reasoning that it keeps to itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from chats import SPEC, open_and_run, saved_turn
from page_attack import ATTACK
from playwright.sync_api import Locator, expect
from responses import completed, event, message, sse
from responses import text as words
from scripted_server import Answer, Chunk, delta, finish

from msgbook.turn.server_data import item_words
from msgbook_format.turn import bundle

ENCRYPTED = "gAAAAABo" * 131_072
HIDDEN = {"type": "reasoning", "id": "rs_1", "encrypted_content": ENCRYPTED}
SEARCH = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "capital of France", "sources": []},
}
CITED = [
    {"type": "url_citation", "url": "https://a.invalid/paris", "title": "Paris, the city"},
    {"type": "url_citation", "url": "https://b.invalid/?q=1&r=2", "title": ""},
    {"type": "file_citation", "file_id": "file-1", "filename": "notes.pdf", "index": 12},
]


def notice(item: dict[str, Any]) -> dict[str, Any]:
    text = item_words(item)
    return {"type": "notice", "step": 1, "level": "info", "text": text, "extra": {"item": item}}


def reasoning(text: str, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "reasoning", "step": 1, "text": text, "extra": {"item": item}}


def answer(text: str, annotations: list[Any]) -> dict[str, Any]:
    return {"type": "text", "step": 1, "text": text, "extra": {"annotations": annotations}}


def write_turn(path: Path, *blocks: dict[str, Any], **keys: Any) -> None:
    """Write a notebook with one answered prompt."""
    turn: Any = {"version": 1, "status": "done", "agent": "assistant", **keys, "blocks": blocks}
    output = nbformat.v4.new_output("display_data", data=bundle(turn))
    cell = nbformat.v4.new_code_cell("What is the capital of France?", outputs=[output])
    # Without a kernel's name, JupyterLab would ask for one, also while the next test runs.
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": SPEC})
    nbformat.write(notebook, path)


def link_texts(cell: Locator) -> list[str]:
    return cell.locator(".msgbook-Sources a").all_inner_texts()


def test_an_answer_of_the_responses_api_is_shown_with_its_sources(lab, lab_root, screenshot):
    write_turn(
        lab_root / "cited.ipynb",
        reasoning("", HIDDEN),
        notice(SEARCH),
        reasoning("**Checking**\n\nI compare two pages.", {**HIDDEN, "id": "rs_2"}),
        answer("The capital of France is **Paris**.", CITED),
        model="gpt-5",
        answered_model="gpt-5-2025-08-07",
        provider="openai",
        duration=4.2,
        usage={"input_tokens": 1200, "output_tokens": 340, "reasoning_tokens": 256},
    )

    lab.open("cited.ipynb")
    cell = lab.cell(0)

    expect(cell.get_by_text("gpt-5 (answered by gpt-5-2025-08-07)")).to_be_visible()
    line = "The model reasoned, but the server does not return its reasoning"
    expect(cell.get_by_text(f"{line} (256 reasoning tokens in this turn)")).to_be_visible()
    expect(cell.locator(".msgbook-Sources")).to_be_visible()
    assert link_texts(cell) == ["Paris, the city", "https://b.invalid/?q=1&r=2"]
    expect(cell.locator(".msgbook-Sources li").last).to_have_text("notes.pdf")
    expect(cell.locator(".msgbook-Notice pre")).to_be_hidden()
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    cell.locator(".msgbook-Notice summary").click()
    expect(cell.locator(".msgbook-Notice pre")).to_contain_text('"query": "capital of France"')
    assert ENCRYPTED[:100] not in cell.inner_html()
    assert lab.requests == []


def test_an_answer_over_the_responses_api_arrives_with_all_that_the_server_sent(
    lab, lab_root, model_server, screenshot
):
    said = "The capital of France is Paris."
    part = {"type": "output_text", "text": said, "annotations": CITED}
    whole = {**message(said), "content": [part]}
    items = [{**HIDDEN, "summary": []}, SEARCH, whole]
    usage = {"input_tokens": 9, "output_tokens": 70}
    usage["output_tokens_details"] = {"reasoning_tokens": 64}
    events = [event("output_item.done", item=item, output_index=i) for i, item in enumerate(items)]
    stream = sse(*events[:2], words(said, index=2), events[2], completed(*items, usage=usage))
    model_server.answers = [Answer(body=stream.decode(), content_type="text/event-stream")]

    cell = open_and_run(lab, lab_root / "asked.ipynb", "%%msg agent=thinker\nWhat is the capital?")

    line = "The model reasoned, but the server does not return its reasoning"
    expect(cell.get_by_text(f"{line} (64 reasoning tokens in this turn)")).to_be_visible()
    expect(cell.get_by_text('The server searched the web for "capital of France".')).to_be_visible()
    expect(cell.locator(".msgbook-Text")).to_contain_text(said)
    assert link_texts(cell) == ["Paris, the city", "https://b.invalid/?q=1&r=2"]
    expect(cell.get_by_text("scripted-model (answered by m-2026)")).to_be_visible()
    screenshot("asked")
    assert model_server.paths == ["/responses"]
    assert lab.requests == []
    lab.save()
    lab.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    kept = saved_turn(lab_root / "asked.ipynb")
    assert kept["blocks"][0]["extra"]["item"]["encrypted_content"] == ENCRYPTED
    assert [a.get("url") for a in kept["blocks"][2]["extra"]["annotations"]] == [
        "https://a.invalid/paris",
        "https://b.invalid/?q=1&r=2",
        None,
    ]


def test_a_summary_that_streams_is_never_taken_for_hidden_reasoning(lab, lab_root, model_server):
    go = threading.Semaphore(0)

    def chunks() -> Iterator[Chunk]:
        yield delta(reasoning_content="I compare ")
        while not go.acquire(blocking=False):
            yield delta(content="")
        yield delta(reasoning_content="two pages.")
        yield delta(content="Paris.")
        yield finish("stop")

    model_server.answers = [Answer(chunks(), pause=0.05)]
    lab.page.evaluate(
        """() => {
            window.seen = 0;
            const look = () => { window.seen += document.querySelectorAll(
                '.msgbook-Reasoning-hidden').length; };
            new MutationObserver(look).observe(document, {childList: true, subtree: true});
        }"""
    )
    cell = open_and_run(
        lab, lab_root / "summary.ipynb", "%%msg agent=thinker\nWhat is the capital?"
    )

    expect(cell.locator(".msgbook-Reasoning[open]")).to_contain_text("I compare")
    go.release()
    expect(cell.locator(".msgbook-Text")).to_contain_text("Paris.")
    expect(cell.locator(".msgbook-Header[data-status='done']")).to_be_visible()
    expect(cell.locator(".msgbook-Reasoning:not([open])")).to_have_count(1)
    expect(cell.locator(".msgbook-Reasoning-text")).to_have_text("I compare two pages.")
    assert lab.page.evaluate("() => window.seen") == 0
    assert model_server.paths == ["/responses"]


def test_hostile_data_of_a_server_runs_nothing_and_loads_nothing(lab, lab_root, screenshot):
    urls = ["javascript:window.hacked=1", "data:text/html,<script>1</script>", "/lab?reset", ATTACK]
    sources = [{"url": url, "title": title} for url in urls for title in ("", ATTACK)]
    sources += [{"url": "https://a.invalid/", "title": ATTACK}, {"filename": ATTACK}]
    write_turn(
        lab_root / "sources.ipynb",
        reasoning("", {"type": ATTACK, "summary": ATTACK, "encrypted_content": ATTACK}),
        notice({"type": ATTACK, ATTACK: ATTACK}),
        answer("The end of the answer.", sources),
        model=ATTACK,
        answered_model=f"{ATTACK} 2",
    )

    lab.open("sources.ipynb")
    cell = lab.cell(0)

    expect(cell.get_by_text("The end of the answer.")).to_be_visible()
    cell.locator(".msgbook-Notice summary").click()
    expect(cell.locator(".msgbook-Notice pre")).to_be_visible()
    turn = cell.locator(".msgbook-Turn")
    links = [link.get_attribute("href") for link in turn.locator("a").all()]
    assert links == ["https://a.invalid/"]
    assert turn.locator("script, iframe, img, style, form, video, svg").count() == 0
    assert lab.page.evaluate("() => window.hacked") is None
    assert lab.requests == []
    screenshot("hostile")
