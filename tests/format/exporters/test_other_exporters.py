"""Markdown, slides and notebooks: names, contents and hostile texts."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from exported_notebooks import PIXEL, answer, conversation, hostile_notebook, notebook, turn
from hostile_turns import hostile_notebook as hostile_notebook_of_texts
from nbconvert.utils.exceptions import ConversionException
from nbformat import from_dict, v4
from renderers import Page, commonmark, nbconvert

import msgbook_format
from msgbook_format.exporters import (
    MsgHTMLExporter,
    MsgMarkdownExporter,
    MsgNotebookExporter,
    MsgSlidesExporter,
)
from msgbook_format.turn import TURN_MIME

if TYPE_CHECKING:
    from pathlib import Path


def markdown(book: Any) -> str:
    text: str = MsgMarkdownExporter().from_notebook_node(book)[0]
    return text


def exported_notebook(book: Any) -> Any:
    return nbformat.reads(MsgNotebookExporter().from_notebook_node(book)[0], as_version=4)


@pytest.mark.parametrize("render", [nbconvert, commonmark])
def test_markdown_reads_as_the_conversation_does(render: Any) -> None:
    page = Page(render(markdown(conversation())))
    assert page.violations == []
    assert page.text == (
        "A talk A note. 1. You What does a.py print? be short assistant · m1 · 4.2 s"
        ' 💭 Thinking Process Let me look. 🔧 Call: read { "path": "a.py" } 📝 Result: read'
        " print(1) It prints one. print(1) %%python print(1) 1"
    )


@pytest.mark.parametrize("render", [nbconvert, commonmark])
@pytest.mark.parametrize("book", [hostile_notebook, hostile_notebook_of_texts])
def test_markdown_of_a_hostile_notebook_does_nothing_in_any_renderer(
    book: Any, render: Any
) -> None:
    assert Page(render(markdown(from_dict(book())))).violations == []


@pytest.mark.parametrize("book", [hostile_notebook, hostile_notebook_of_texts])
def test_what_a_viewer_renders_of_an_exported_notebook_does_nothing(book: Any) -> None:
    exported = exported_notebook(from_dict(book()))
    rendered = [cell.source for cell in exported.cells if cell.cell_type == "markdown"]
    outputs = [output for cell in exported.cells for output in cell.get("outputs", ())]
    shown = [output.data for output in outputs if output.output_type == "display_data"]
    rendered += [data["text/markdown"] for data in shown if "text/markdown" in data]
    assert all(Page(commonmark(text)).violations == [] for text in rendered)
    known = {TURN_MIME, "text/markdown", "text/plain", "text/html", "image/svg+xml"}
    assert {mime for data in shown for mime in data} <= known
    htmls = [data["text/html"] for data in shown if "text/html" in data]
    assert all(Page(html, also=frozenset({"object"})).violations == [] for html in htmls)


def test_an_exported_notebook_is_valid_and_continues_the_conversation() -> None:
    exported = exported_notebook(conversation())
    nbformat.validate(exported)
    assert exported.metadata.kernelspec.name == "msgbook"
    assert exported.cells[1].source == "What does `a.py` print?\n\n- be short"
    turn_again = exported.cells[1].outputs[0].data[TURN_MIME]
    assert turn_again == conversation().cells[1].outputs[0].data[TURN_MIME]
    assert msgbook_format.reads(msgbook_format.writes(exported))["cells"]


def test_an_exported_notebook_keeps_attached_pictures_and_nothing_else_attached() -> None:
    cell = v4.new_code_cell("![it](attachment:a.png)")
    cell.attachments = {"a.png": {"image/png": PIXEL}, "b.svg": {"image/svg+xml": "<svg/>"}}
    assert exported_notebook(notebook(cell)).cells[0].attachments == {"a.png": {"image/png": PIXEL}}


@pytest.mark.parametrize(
    ("exporter", "source", "name"),
    [
        (MsgHTMLExporter, "chat.msg.md", "chat"),
        (MsgSlidesExporter, "chat.msg.md", "chat"),
        (MsgMarkdownExporter, "chat.msg.md", "chat"),
        (MsgNotebookExporter, "chat.msg.md", "chat"),
        (MsgMarkdownExporter, "chat.md", "chat.nbconvert"),
        (MsgNotebookExporter, "chat.ipynb", "chat.nbconvert"),
        (MsgMarkdownExporter, "chat.ipynb", "chat"),
    ],
)
def test_an_export_is_named_after_its_source_and_never_replaces_it(
    exporter: Any, source: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / source
    if source.endswith(".ipynb"):
        nbformat.write(conversation(), path)
    else:
        text = "---\nmessage_section: true\n---\n" if source == "chat.md" else ""
        path.write_text(text or msgbook_format.writes(conversation()), encoding="utf-8")
    resources = {"unique_key": path.name.rpartition(".")[0]}
    _, resources = exporter().from_filename(str(path), resources=resources)
    assert resources["unique_key"] + resources.get("output_suffix", "") == name


@pytest.mark.parametrize("exporter", [MsgMarkdownExporter, MsgNotebookExporter])
def test_an_export_never_replaces_another_document_of_the_user(
    exporter: Any, tmp_path: Path
) -> None:
    path = tmp_path / "chat.msg.md"
    msgbook_format.write(conversation(), path)
    for other in ("chat.md", "chat.ipynb"):
        (tmp_path / other).write_text("mine")
    _, resources = exporter().from_filename(str(path), resources={"unique_key": "chat.msg"})
    assert resources["unique_key"] == "chat.nbconvert"


def long_chat(count: int) -> Any:
    said = answer(turn({"type": "text", "text": "Yes."}))
    return notebook(
        *(v4.new_code_cell(f"# Is <b>{n}</b> odd?", outputs=[said]) for n in range(count))
    )


@pytest.mark.parametrize("exporter", [MsgHTMLExporter, MsgSlidesExporter, MsgMarkdownExporter])
def test_a_long_chat_has_a_table_of_contents_whose_links_lead_to_its_messages(
    exporter: Any,
) -> None:
    text, _ = exporter().from_notebook_node(long_chat(8))
    html = nbconvert(text) if exporter is MsgMarkdownExporter else text
    links = re.findall(r'<li><(?:p><)?a href="#([^"]+)">([^<]*)', html)
    assert [words for _, words in links] == [f"Is &lt;b&gt;{n}&lt;/b&gt; odd?" for n in range(8)]
    assert all(f'id="{target}"' in html for target, _ in links)


@pytest.mark.parametrize("exporter", [MsgHTMLExporter, MsgSlidesExporter, MsgMarkdownExporter])
def test_a_short_chat_has_no_table_of_contents(exporter: Any) -> None:
    text, _ = exporter().from_notebook_node(long_chat(7))
    assert "<nav" not in text
    assert "(#message-" not in text


def test_each_message_of_a_page_has_a_link_to_itself() -> None:
    html, _ = MsgHTMLExporter().from_notebook_node(conversation())
    assert '<a class="msg-Link" href="#cell-id=c1">#1</a>' in html
    assert 'id="cell-id=c1"' in html


def test_slides_are_a_page_with_a_slide_for_each_message_and_no_script_but_their_own() -> None:
    html, _ = MsgSlidesExporter().from_notebook_node(long_chat(3))
    assert html.count('<article class="msg-Slide">') == html.count("</article>") == 3
    (script,) = re.findall("<script>(.*?)</script>", html, re.S)
    assert html.count("<script") == 1
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in html
    assert not re.search(r'(?:src|href)="(?!#)', html)
    assert MsgSlidesExporter().file_extension == ".slides.html"


def test_an_empty_chat_is_exported() -> None:
    for exporter in (MsgHTMLExporter, MsgSlidesExporter, MsgMarkdownExporter):
        assert exporter().from_notebook_node(notebook())[0]
    assert json.loads(MsgNotebookExporter().from_notebook_node(notebook())[0])["cells"] == []


@pytest.mark.parametrize(
    ("frontmatter", "heading"),
    [
        ("title: A <b>plan</b>", "A &lt;b&gt;plan&lt;/b&gt;"),
        ("title: [A, B]", "chat"),
        ("title: A\n  - b: [", "chat"),
        ("title: ' '", "chat"),
        ("tags: x", "chat"),
    ],
)
def test_the_heading_is_the_title_of_the_frontmatter_else_the_name_of_the_file(
    frontmatter: str, heading: str, tmp_path: Path
) -> None:
    file = tmp_path / "chat.msg.md"
    file.write_text(f"---\n{frontmatter}\n---\n\n# %%\n\nHi\n", encoding="utf-8")

    page = MsgHTMLExporter().from_filename(str(file))[0]

    found = re.search('<h1 class="msg-Title">(.*)</h1>', page)
    assert found
    assert found[1] == heading
    assert MsgMarkdownExporter().from_filename(str(file))[0].startswith("# ")


@pytest.mark.parametrize("name", ["chat.msg.md", "chat.ipynb"])
def test_a_file_that_cannot_be_read_is_named_once(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(b"{\xff")

    with pytest.raises(ConversionException) as caught:
        MsgMarkdownExporter().from_filename(str(file))

    assert str(caught.value).startswith(f"{file} cannot be exported: ")
    assert str(caught.value).count(name) == 1
