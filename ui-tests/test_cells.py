"""The cells of a chat as messages: what the model gets of each, and what a person does with one."""

from __future__ import annotations

import nbformat
import pytest
from chats import SPEC, write_notebook
from playwright.sync_api import expect
from scripted_server import text

CHAT = """\
---
agents:
  writer: {models: large}
  critic: {models: small, system_prompt: You criticise.}
---

# %% [^note]

[^note]: [markdown] cell=markdown role=system

Be brief.

# %% [^first]

What is a **cell**? Explain it in one long sentence that goes on and on until it has reached the other side of the page, please.

# %% [^second]

And a note?

# %% [^code]

[^code]: [code]

```python
1 + 1
```

# %% [^raw]

[^raw]: [raw]

Mine alone.
"""


@pytest.fixture
def chat(lab, lab_root, model_server):
    """A chat in front, of which the first prompt is answered."""
    (lab_root / "cells.msg.md").write_text(CHAT)
    for fork in lab_root.glob("cells-fork*"):
        fork.unlink()
    model_server.answers = [text("A cell is *one* message."), text("Again."), text("More.")]
    lab.open("cells.msg.md")
    lab.wait_for_kernel()
    lab.run(1)
    expect(lab.cell(1).get_by_text("A cell is")).to_be_visible()
    return lab


def select(lab, index):
    lab.cell(index).locator(".jp-InputPrompt").click()


def mark(lab, index):
    return lab.cell(index).locator(".msgbook-CellMark")


def button(lab, index, name):
    return lab.cell(index).locator(
        f".jp-cell-toolbar [data-jp-item-name='msgbook-{name}'] jp-button"
    )


def ours(lab, index):
    return lab.cells()[index]["metadata"].get("msgbook", {})


def choose_agent(lab, name, agent):
    dialog = lab.page.get_by_role("dialog", name=name)
    expect(dialog.get_by_role("option").first).to_be_visible()
    dialog.get_by_role("option", name=agent).click()


def test_each_cell_says_what_the_model_gets_of_it(chat, screenshot):
    lab = chat
    for index, words in enumerate(
        [
            "Sent to the model as “system”",
            "Sent to the model, with its answer",
            "Sent to the model, with its answer",
            "Sent to the model, with its output",
            "Not sent",
        ]
    ):
        expect(mark(lab, index)).to_have_attribute("aria-label", words)
    select(lab, 2)
    expect(button(lab, 2, "copy")).to_be_visible()
    expect(lab.cell(2).locator("[data-jp-item-name='duplicate-cell']")).to_be_hidden()
    screenshot("included")
    button(lab, 2, "history").click()
    expect(lab.cell(2).get_by_text("Excluded")).to_be_visible()
    button(lab, 2, "history").click()
    expect(lab.cell(2).get_by_text("Excluded")).to_have_count(0)
    select(lab, 1)
    words = lab.cell(1).locator(".cm-content")
    colour = words.evaluate("node => getComputedStyle(node).color")
    lab.command("msgbook:set-history", history="exclude")

    expect(words).not_to_have_css("color", colour)
    expect(mark(lab, 1)).to_have_attribute("aria-label", "Not sent, nor its answer")
    expect(lab.cell(1).get_by_text("Excluded")).to_be_visible()
    assert ours(lab, 1)["history"] == "exclude"
    screenshot("excluded")
    with lab.dark():
        screenshot("excluded-dark")
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("excluded-narrow")
    lab.page.set_viewport_size({"width": 1280, "height": 900})

    lab.command("notebook:undo-cell-action")
    expect(lab.cell(1).get_by_text("Excluded")).to_have_count(0)
    expect(words).to_have_css("color", colour)
    assert "history" not in ours(lab, 1)


def test_a_summary_is_asked_for_in_the_cells_menu(chat, screenshot):
    lab = chat
    select(lab, 1)
    button(lab, 1, "more").click()
    expect(lab.page.get_by_role("menuitem", name="Copy Answer")).to_be_visible()
    screenshot("menu")
    lab.page.locator(".lm-Menu-item", has_text="Send a Summary").click()

    expect(lab.cell(1).get_by_text("Sent as a summary")).to_be_visible()
    assert ours(lab, 1)["history"] == "summary"


def test_the_context_menu_has_the_same_commands(chat, screenshot):
    lab = chat
    lab.cell(1).locator(".jp-InputPrompt").click(button="right")
    for label in ("Run Again", "Retry with Another Agent…", "Fork from Here", "Copy as Markdown"):
        expect(lab.page.locator(".lm-Menu-item", has_text=label)).to_be_visible()
    lab.page.locator(".lm-Menu-item", has_text="History").hover()
    expect(lab.page.locator(".lm-Menu-item", has_text="Exclude from Requests")).to_be_visible()
    screenshot("context-menu")
    lab.page.locator(".lm-Menu-item", has_text="Exclude from Requests").click()
    expect(lab.cell(1).get_by_text("Excluded")).to_be_visible()


def test_a_prompt_gets_an_agent_of_its_own(chat, model_server, screenshot):
    lab = chat
    select(lab, 2)
    button(lab, 2, "agent").click()
    dialog = lab.page.get_by_role("dialog", name="Agent of this prompt")
    expect(dialog.get_by_role("option", selected=True)).to_contain_text("writer")
    screenshot("agents")
    choose_agent(lab, "Agent of this prompt", "critic")

    expect(lab.cell(2).get_by_text("Agent: critic")).to_be_visible()
    assert ours(lab, 2)["agent"] == "critic"
    lab.command("notebook:undo-cell-action")
    expect(lab.cell(2).get_by_text("Agent: critic")).to_have_count(0)
    assert "agent" not in ours(lab, 2)
    lab.command("notebook:redo-cell-action")
    expect(lab.cell(2).get_by_text("Agent: critic")).to_be_visible()
    button(lab, 2, "run-again").click()
    expect(lab.cell(2).get_by_text("Again.")).to_be_visible()
    assert model_server.requests[-1]["model"] == "small"
    expect(lab.cell(2).locator(".msgbook-Header[data-status=done]")).to_be_visible()
    lab.command("notebook:undo-cell-action")
    expect(lab.cell(2).get_by_text("Agent: critic")).to_have_count(0)
    assert "agent" not in ours(lab, 2)


def test_another_agent_tries_again_below_and_the_first_answer_stays(chat, model_server, screenshot):
    lab = chat
    before = lab.cells()
    select(lab, 1)
    lab.command("msgbook:retry-with-agent")
    others = lab.page.locator(".msgbook-Popup").get_by_role("option")
    expect(others.filter(has_text="critic")).to_be_visible()
    # Not the one that has answered.
    expect(others.filter(has_text="writer")).to_have_count(0)
    choose_agent(lab, "Agent that tries again", "critic")

    expect(lab.cell(2).get_by_text("Again.")).to_be_visible()
    expect(lab.cell(2).get_by_text("Agent: critic")).to_be_visible()
    expect(lab.cell(1).get_by_text("A cell is")).to_be_visible()
    request = model_server.requests[-1]
    assert request["model"] == "small"
    assert [m["role"] for m in request["messages"]] == ["system", "user"]
    screenshot("retried")

    lab.command("notebook:undo-cell-action")
    expect(lab.notebook.get_by_text("Again.")).to_have_count(0)
    assert lab.cells() == before


def test_a_prompt_is_run_again_where_it_stands(chat):
    lab = chat
    select(lab, 1)
    lab.command("msgbook:run-again")
    expect(lab.cell(1).get_by_text("Again.")).to_be_visible()
    expect(lab.cell(1).get_by_text("A cell is")).to_have_count(0)


def test_a_fork_opens_with_the_cells_up_to_this_one(chat, lab_root):
    lab = chat
    select(lab, 1)
    lab.command("msgbook:fork-conversation")
    expect(lab.page.locator(".lm-TabBar-tabLabel", has_text="cells-fork.msg.md")).to_be_visible()
    expect(lab.notebook.get_by_text("A cell is")).to_be_visible()
    assert [cell["id"] for cell in lab.cells()][:2] == ["note", "first"]
    assert len(lab.cells()) == 2
    text = (lab_root / "cells-fork.msg.md").read_text()
    assert (lab_root / "cells.msg.md").read_text().startswith(text.rstrip("\n"))


def test_an_answer_is_copied_as_it_was_written(chat):
    lab = chat
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    select(lab, 1)
    for entry, copied in {
        "Copy Answer": "A cell is *one* message.",
        "Copy as Markdown": "> What is a **cell**?",
    }.items():
        button(lab, 1, "more").click()
        lab.page.locator(".lm-Menu-item", has_text=entry).click()
        lab.page.wait_for_function(
            "begin => navigator.clipboard.readText().then(text => text.startsWith(begin))",
            arg=copied,
        )
    whole = lab.page.evaluate("() => navigator.clipboard.readText()")
    assert whole.endswith("please.\n\nA cell is *one* message.")


def test_what_can_be_done_with_a_cell_stands_in_the_palette(chat, screenshot):
    lab = chat
    select(lab, 1)
    lab.command("apputils:activate-command-palette")
    search = lab.page.locator(".lm-CommandPalette-input")
    for words in (
        "Agent of This Prompt…",
        "Exclude from Requests",
        "Run Again",
        "Fork",
        "Copy Answer",
        "Copy as Markdown",
    ):
        search.fill(f"chat {words}")
        found = lab.page.locator(".lm-CommandPalette-item", has_text=words).first
        expect(found).to_be_visible()
        expect(found).not_to_have_attribute("data-is-disabled", "true")
    search.fill("chat")
    screenshot("palette")
    search.fill("chat Run Again")
    lab.page.keyboard.press("Enter")
    expect(lab.cell(1).get_by_text("Again.")).to_be_visible()


def test_the_cells_of_another_kernel_have_neither_buttons_nor_marks(lab, lab_root):
    write_notebook(lab_root / "other.ipynb", "1")
    path = lab_root / "other.ipynb"
    path.write_text(path.read_text().replace('"msgbook"', '"python3"'))
    lab.open("other.ipynb")
    lab.wait_for_kernel()
    select(lab, 0)
    expect(lab.cell(0).locator("[data-jp-item-name='duplicate-cell']")).to_be_visible()
    expect(lab.cell(0).locator("[data-jp-item-name='msgbook-more']")).to_be_hidden()
    expect(mark(lab, 0)).to_have_count(0)


PLACES = """node => {
    const box = one => { const { top, bottom, left, right } = one.getBoundingClientRect();
        return { top, bottom, left, right }; };
    const firstLine = one => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return box(range.getClientRects()[0] ? { getBoundingClientRect: () => range.getClientRects()[0] } : one);
    };
    const text = [...node.querySelectorAll('.jp-MarkdownOutput p, .cm-line')]
        .find(one => one.getClientRects().length > 0);
    const number = node.querySelector('.jp-InputPrompt');
    return { sign: box(node.querySelector('.msgbook-CellMark')), text: firstLine(text),
        number: number.textContent.trim() === '' ? null : firstLine(number) };
}"""


def middle(box):
    return (box["top"] + box["bottom"]) / 2


def overlap(one, other):
    return (
        one["left"] < other["right"]
        and other["left"] < one["right"]
        and one["top"] < other["bottom"]
        and other["top"] < one["bottom"]
    )


def test_a_sign_stands_beside_the_number_and_the_text_of_its_cell(lab, lab_root, screenshot):
    out = {"msgbook": {"history": "exclude"}}
    long = "A note of several lines. " * 30
    cells = [
        nbformat.v4.new_code_cell("Sent", execution_count=17),
        nbformat.v4.new_code_cell("Left out", execution_count=123, metadata=out),
        nbformat.v4.new_markdown_cell("A note"),
        nbformat.v4.new_markdown_cell(long, metadata=out),
        nbformat.v4.new_raw_cell("Mine alone."),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": SPEC})
    nbformat.write(notebook, lab_root / "signs.ipynb")
    lab.open("signs.ipynb")
    lab.wait_for_kernel()
    for width in (1280, 700):
        with lab.width(width):
            lab.reveal(0, "start")
            for index in range(len(cells)):
                expect(mark(lab, index)).to_be_visible()
                words = lab.cell(index).locator(".jp-MarkdownOutput p:visible, .cm-line:visible")
                expect(words.first).to_be_visible()
                places = lab.cell(index).evaluate(PLACES)
                sign, number = places["sign"], places["number"]
                beside = number or places["text"]
                assert abs(middle(sign) - middle(beside)) < 5, (width, index, places)
                assert not overlap(sign, places["text"]), (width, index, places)
                assert number is None or not overlap(sign, number), (width, index, places)
            screenshot(str(width))
