from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from exported_notebooks import PIXEL, answer, conversation, hostile_notebook, notebook, turn
from nbconvert.utils.exceptions import ConversionException
from nbformat import v4
from renderers import Page

import msgbook_format
from msgbook_format.exporters import MsgHTMLExporter
from msgbook_format.exporters.page_markdown import ATTRIBUTES, TAGS
from msgbook_format.exporters.sanitize import sanitize_html

if TYPE_CHECKING:
    from pathlib import Path

OUTPUT = frozenset({"object"})
"""Without attributes: HTML of an output stands in it."""
TEMPLATE = frozenset(
    {
        "main",
        "section",
        "nav",
        "article",
        "aria-label",
        "role",
        "tabindex",
        "data-mime-type",
        "data-type",
    }
)


def export(book: Any) -> str:
    page: str = MsgHTMLExporter().from_notebook_node(book)[0]
    return page


def body(html: str) -> Page:
    inside = html.partition("<main>")[2].partition("</main>")[0]
    # An SVG image may stand in a page: as an image it neither runs nor loads anything.
    return Page(
        re.sub(r'src="data:image/svg\+xml;base64,[\w+/=\n]*"', "", inside),
        also=TEMPLATE | OUTPUT | TAGS | ATTRIBUTES,
    )


def test_a_prompt_is_shown_as_markdown_and_its_answer_below_with_who_gave_it() -> None:
    page = body(export(conversation()))
    assert page.violations == []
    words = (
        "A talk A note. You #1 What does a.py print? be short assistant · m1 · 4.2 s Thinking Process"
        ' Let me look. Call: read { "path": "a.py" } Result: read print(1) It prints one.'
        " print(1) %%python print(1) 1"
    )
    assert page.text == words


def test_sub_agents_are_listed_with_links_to_their_conversations_alone() -> None:
    hostile = "<img src=x onerror=alert(1)> [a](javascript:b) **x**\n\n# z"
    file = ".msgbook/subagents/chat (1) <b>.msg.md"
    rows = [
        {"name": "Parser", "agent": "reviewer", "status": "done", "file": file, "steps": 2},
        {"name": hostile, "agent": hostile, "status": hostile, "last": hostile},
        {"name": "Docs", "status": "error", "file": "javascript:alert(1)"},
        {"name": "Up", "status": "done", "file": "../../secret.html"},
    ]
    call = {"type": "tool_call", "id": "c", "name": "dispatch_subagents", "arguments": "{}"}
    result = {"type": "tool_result", "id": "c", "status": "success", "content": "", "agents": rows}
    html = export(notebook(v4.new_code_cell("Go", outputs=[answer(turn(call, result))])))
    page = body(html)
    assert page.violations == []
    assert "Parser · reviewer · done · 2 steps" in page.text
    assert "Docs · failed" in page.text
    links = re.findall(r'<a [^>]*href="([^#"][^"]*)"', html)
    assert links == [".msgbook/subagents/chat%20%281%29%20%3Cb%3E.msg.md"]


def test_data_of_a_server_is_exported_as_the_page_shows_it() -> None:
    hostile = "<img src=x onerror=alert(1)> [a](javascript:b) **x**\n\n# z"
    item = {"type": hostile, "encrypted_content": "gAAAAABo" * 1000}
    sources = [
        {"url": "https://a.example/?q=1&r=2", "title": "Page A"},
        {"url": "javascript:alert(1)", "title": hostile},
        {"type": "file_citation", "filename": "notes.pdf"},
    ]
    said = turn(
        {"type": "reasoning", "text": "", "extra": {"item": item}},
        {"type": "notice", "text": hostile, "extra": {"item": item}},
        {"type": "text", "text": "- Paris.", "extra": {"annotations": sources}},
        answered_model="m1-2026",
        usage={"reasoning_tokens": 64},
    )
    html = export(notebook(v4.new_code_cell("Where?", outputs=[answer(said)])))
    page = body(html)
    assert page.violations == []
    assert page.links == ["#cell-id=c0", "https://a.example/?q=1&r=2"]
    assert "m1 (answered by m1-2026)" in page.text
    assert "does not return its reasoning (64 reasoning tokens in this turn)" in page.text
    assert "Paris. Sources: Page A" in page.text
    assert "notes.pdf" in page.text
    assert "gAAAAABo" not in html
    assert "<details>" not in html


def test_reasoning_and_results_are_collapsed() -> None:
    html = export(conversation())
    assert html.count("<details>") == 2
    assert "<details open" not in html


EMOJI = re.compile("[\u2139\u2300-\u23ff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")
"""What a system without a font for it shows as boxes."""


@pytest.mark.parametrize("status", ["interrupted", "incomplete", "error", "strange", "running"])
def test_what_a_page_says_of_a_turn_needs_no_font_for_emoji(status: str) -> None:
    states = ("pending", "running", "done", "incomplete", "error", "interrupted", "deleted", "odd")
    rows = [{"name": state, "status": state} for state in states]
    said = turn(
        {"type": "reasoning", "step": 1, "text": "Hm."},
        {"type": "text", "step": 1, "text": "I will not.", "refusal": True},
        {
            "type": "tool_call",
            "step": 1,
            "id": "c",
            "name": "dispatch_subagents",
            "arguments": "{}",
        },
        {
            "type": "tool_result",
            "step": 1,
            "id": "c",
            "status": "success",
            "content": "",
            "agents": rows,
        },
        {"type": "notice", "level": "warning", "text": "a.txt: no such file"},
        {"type": "notice", "level": "info", "text": "Shortened."},
        {"type": "error", "name": "RateLimitError", "message": "Later."},
        {"type": "surprise", "x": 1},
    )
    page = export(notebook(v4.new_code_cell("Why?", outputs=[answer({**said, "status": status})])))
    empty = answer({**said, "status": status, "blocks": []})
    bare = export(notebook(v4.new_code_cell("Why?", outputs=[empty])))

    assert EMOJI.findall(body(page).text + body(bare).text) == []
    assert page.count('aria-label="Warning"') >= 2
    assert "msg-Sign-deleted" in page


def test_text_around_code_is_folded_above_and_below_it() -> None:
    code = v4.new_code_cell(
        "%%python\nprint(1)",
        metadata={"msgbook": {"before": "I *add* <b>.", "after": "It </details> is done."}},
        outputs=[v4.new_output("stream", name="stdout", text="2\n")],
    )
    html = export(notebook(code))

    page = body(html)
    assert page.violations == []
    assert page.text == (
        "Text before the code I add <b>. %%python print(1)"
        " Text after the code It </details> is done. 2"
    )
    assert html.count("<details>") == 2
    assert "<details open" not in html


@pytest.mark.parametrize("ours", [None, [], "x", {"before": 1, "after": {"a": 1}}, {"before": ""}])
def test_metadata_that_hold_no_text_around_code_show_none(ours: Any) -> None:
    code = v4.new_code_cell("%%python\n1", metadata={"msgbook": ours})
    assert "<details" not in export(notebook(code))


def test_a_hostile_notebook_does_nothing_in_the_page() -> None:
    html = export(hostile_notebook())
    assert "<script" not in html.partition("<main>")[0]
    assert body(html).violations == []


def test_a_forged_derived_text_is_not_believed() -> None:
    forged = answer(turn({"type": "text", "text": "true"}), **{"text/markdown": "false"})
    page = body(export(notebook(v4.new_code_cell("?", outputs=[forged]))))
    assert "true" in page.text
    assert "false" not in page.text


@pytest.mark.parametrize("source", ["*it*", "$x^2$", "$$\\href{javascript:alert(1)}{x}$$"])
def test_a_page_allows_no_script_and_names_no_address(source: str) -> None:
    html = export(notebook(v4.new_markdown_cell(source), v4.new_code_cell(source)))
    assert "<script" not in html
    assert "script-src 'none'" in html
    assert not re.search(r'(?:src|href)="(?!#)', html)
    assert "cdnjs" not in html


def test_tables_and_pictures_of_code_cells_are_kept() -> None:
    table = "<style>td {}</style><table><tr><td onclick='x'>cell</td></tr></table>"
    outputs = [
        v4.new_output("display_data", data={"text/html": table, "text/plain": "plain"}),
        v4.new_output("display_data", data={"image/png": PIXEL}),
        v4.new_output("display_data", data={"application/x-odd": "x"}),
    ]
    page = body(export(notebook(v4.new_code_cell("%%python\n1", outputs=outputs))))
    assert page.violations == []
    assert page.images == [f"data:image/png;base64,{PIXEL}"]
    assert page.text == "%%python 1 cell (an output of application/x-odd is not shown here)"


def test_pictures_attached_to_a_prompt_are_shown() -> None:
    cell = v4.new_code_cell("See ![it](attachment:a.png)")
    cell.attachments = {"a.png": {"image/png": PIXEL}}
    note = v4.new_markdown_cell("See ![it](attachment:none.png)", attachments={})
    page = body(export(notebook(cell, note)))
    assert page.images == [f"data:image/png;base64,{PIXEL}"]
    assert "attachment:none.png" in page.text


def test_a_saved_running_turn_is_shown_as_interrupted() -> None:
    cell = v4.new_code_cell("?", outputs=[answer(turn(status="running"))])
    assert "Interrupted" in body(export(notebook(cell))).text


@pytest.mark.parametrize(
    ("said", "error", "count"),
    [
        (turn({"type": "error", "name": "E", "message": "no"}, status="error"), ("E", "no"), 1),
        (turn({"type": "error", "name": "E", "message": "no"}, status="error"), ("F", "no"), 2),
        (turn(status="interrupted"), ("KeyboardInterrupt", ""), 0),
    ],
)
def test_what_a_turn_says_is_not_said_again_by_its_error_output(
    said: Any, error: tuple[str, str], count: int
) -> None:
    again = v4.new_output("error", ename=error[0], evalue=error[1], traceback=[])
    cell = v4.new_code_cell("?", outputs=[answer(said), again])
    page = body(export(notebook(cell)))
    assert page.text.count(": no") == count
    assert "KeyboardInterrupt" not in page.text


def test_the_notebook_that_is_exported_stays_as_it_is() -> None:
    book = hostile_notebook()
    before = json.dumps(book)
    export(book)
    assert json.dumps(book) == before


def test_lone_surrogates_do_not_keep_a_page_from_being_written() -> None:
    export(notebook(v4.new_code_cell("%%python\n'\udc80'"), title="\udc80")).encode("utf-8")


def test_a_template_in_the_working_directory_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("msghtml", "lab", "base"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html.j2").write_text("hostile")
        (tmp_path / name / "base.html.j2").write_text("hostile")
    monkeypatch.chdir(tmp_path)
    assert "hostile" not in export(conversation())


@pytest.mark.parametrize("suffix", [".msg.md", ".ipynb"])
def test_both_kinds_of_file_give_the_same_page_under_the_same_name(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"chat{suffix}"
    if suffix == ".ipynb":
        nbformat.write(conversation(), path)
    else:
        msgbook_format.write(conversation(), path)
    stem = path.name.rpartition(".")[0]
    keys = {"unique_key": stem, "output_files_dir": f"{stem}_files"}
    html, resources = MsgHTMLExporter().from_filename(str(path), resources=dict(keys))
    assert body(html).text == body(export(conversation())).text
    assert resources["metadata"]["name"] == "chat"
    assert resources["unique_key"] == "chat"
    assert resources["output_files_dir"] == "chat_files"


def test_a_name_that_was_asked_for_is_taken_as_given(tmp_path: Path) -> None:
    path = tmp_path / "chat.msg.md"
    msgbook_format.write(conversation(), path)
    _, resources = MsgHTMLExporter().from_filename(str(path), resources={"unique_key": "page"})
    assert resources["unique_key"] == "page"


@pytest.mark.parametrize("write", [msgbook_format.writes, nbformat.writes])
def test_a_stream_of_either_kind_is_read(write: Any) -> None:
    html, _ = MsgHTMLExporter().from_file(io.StringIO(write(conversation())))
    assert "It prints" in html


@pytest.mark.parametrize(
    ("name", "data"),
    [("chat.msg.md", b"\xff\xfe"), ("readme.md", b"# Hi"), ("chat.ipynb", b"{")],
)
def test_a_file_that_is_no_conversation_is_an_error_of_conversion(
    tmp_path: Path, name: str, data: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ConversionException):
        MsgHTMLExporter().from_filename(str(path))


def test_a_notebook_with_values_of_wrong_types_is_an_error_of_conversion() -> None:
    book = notebook(v4.new_code_cell("x"), title=["x"])
    book.cells[0].outputs = "x"
    with pytest.raises(ConversionException):
        MsgHTMLExporter().from_file(io.StringIO(json.dumps(book)))


@pytest.mark.parametrize("duration", [10**4000, -1, float("inf"), float("nan"), "1"])
def test_an_impossible_duration_is_left_out(duration: Any) -> None:
    said = turn({"type": "text", "text": "shown"}, model="m1", duration=duration)
    page = body(export(notebook(v4.new_code_cell("?", outputs=[answer(said)]))))
    assert page.text.endswith("m1 shown")


def test_data_nested_too_deep_is_an_error_of_conversion_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.ipynb"
    text = json.dumps(notebook(v4.new_code_cell("?", outputs=[answer(turn({"type": "new"}))])))
    path.write_text(text.replace('"new"', '"new", "x": ' + "[" * 900 + "]" * 900), encoding="utf-8")
    with pytest.raises(ConversionException, match=r"chat\.ipynb"):
        MsgHTMLExporter().from_filename(str(path))


def test_a_chat_whose_kernel_only_its_language_names_is_a_chat() -> None:
    book = notebook(v4.new_code_cell("What is *it*?"))
    del book.metadata["kernelspec"]
    book.metadata["language_info"] = {"name": "msgbook"}
    assert body(export(book)).text == "You #1 What is it?"


@pytest.mark.parametrize(
    "metadata",
    [{"language": 1}, {"language_info": 1}, {"widgets": 1}],
)
def test_a_notebook_with_malformed_metadata_is_shown(metadata: Any) -> None:
    book = notebook(v4.new_markdown_cell("shown"))
    book.metadata.update(metadata)
    assert "shown" in body(export(book)).text


@pytest.mark.parametrize("piece", ["<div>", "<table><tr><td>", "<style>", "<script", "<a href='"])
def test_html_nested_or_broken_in_any_way_ends(piece: str) -> None:
    assert Page(sanitize_html(piece * 1000) or "", also=OUTPUT).violations == []


def test_a_code_cell_without_an_execution_count_is_shown() -> None:
    book = notebook(v4.new_code_cell("%%python\n1"))
    del book.cells[0]["execution_count"]
    assert "%%python 1" in body(export(book)).text
