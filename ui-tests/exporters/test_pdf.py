"""A conversation as a PDF, and what is said where it cannot be printed."""

from __future__ import annotations

import re
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from contents_server import started
from exported_notebooks import answer, conversation, hostile_notebook, notebook, turn
from last_words import picture_of
from nbformat import v4

import msgbook_format
from msgbook_format.exporters import MsgPDFExporter

if TYPE_CHECKING:
    import pytest
    from forked import ForkServer
    from playwright.sync_api import Browser


def pages(pdf: bytes) -> int:
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    texts = [pdf]
    for stream in streams:
        unpacked = zlib.decompressobj()
        try:
            texts.append(unpacked.decompress(stream))
        except zlib.error:
            continue
    return sum(len(re.findall(rb"/Type\s*/Page\b(?!s)", text)) for text in texts)


def bookmarks(pdf: bytes) -> set[bytes]:
    return set(re.findall(rb"/Title \(([^()]*)\)\s*/Dest", pdf))


def test_a_conversation_is_printed_on_pages(browser: object) -> None:
    prompts = [v4.new_code_cell(f"Question {n}?\n\n" + "A long line. " * 60) for n in range(12)]
    for book, least in ((conversation(), 1), (notebook(*prompts), 2), (hostile_notebook(), 1)):
        pdf, resources = MsgPDFExporter().from_notebook_node(book)
        assert pdf.startswith(b"%PDF-")
        assert pages(pdf) >= least
        assert resources["output_extension"] == ".pdf"


def test_an_answer_begins_below_its_prompt_and_goes_on_on_the_next_page(browser: object) -> None:
    said = turn({"type": "text", "text": "A line.\n\n" * 14})
    book = notebook(*(v4.new_code_cell("Why?", outputs=[answer(said)]) for _ in range(6)))
    pdf, _ = MsgPDFExporter().from_notebook_node(book)
    assert pages(pdf) < 6


def test_the_title_and_the_headings_of_messages_are_bookmarks(browser: object) -> None:
    said = turn({"type": "text", "text": "# Result\n\nIt works.\n\n## Proof\n\nSee above."})
    book = notebook(v4.new_code_cell("## Task\n\nWhy?", outputs=[answer(said)]), title="A talk")
    pdf, _ = MsgPDFExporter().from_notebook_node(book)
    assert bookmarks(pdf) == {b"A talk", b"Task", b"Result", b"Proof"}


def test_without_playwright_it_is_said_what_to_install(
    fork_server: ForkServer, tmp_path: Path
) -> None:
    msgbook_format.write(conversation(), tmp_path / "chat.msg.md")
    code = (
        "import sys; sys.modules['playwright'] = None\n"
        "from msgbook.__main__ import main\n"
        "sys.exit(main(['export', 'chat.msg.md', '--to', 'pdf']))"
    )
    done = fork_server.run(code, cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install 'msgbook[pdf]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["chat.msg.md"]


def test_jupyters_page_says_what_to_install_where_there_is_no_chromium(
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    root = tmp_path / "root"
    root.mkdir(exist_ok=True)
    msgbook_format.write(conversation(), root / "chat.msg.md")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    with started(root, tmp_path / "runtime", []) as server:
        page = browser.new_page()
        page.goto(f"{server.url}nbconvert/msgpdf/chat.msg.md?download=true&token={server._token}")
        page.screenshot(path=picture_of(request.node, "no-chromium"))
        told = page.inner_text("body")
        page.close()
    assert "No PDF can be printed here" in told
    assert "run playwright install chromium, or install your system's" in told
    assert "500" not in told
    assert "nbconvert failed" not in told
