"""A conversation in JupyterLab, as a person holds it."""

from __future__ import annotations

import nbformat
import pytest
from chats import write_notebook
from playwright.sync_api import expect
from scripted_server import Answer, ScriptedServer, call, delta, text

from msgbook_format.turn import TURN_MIME

ANSWER = """\
There is **one file**. In Python, with $e^{i\\pi} = -1$ in mind:

```python
print("hello")
```
"""


def spoken(server: ScriptedServer) -> list[tuple[str, str]]:
    """Role and text of the last request's messages, without the system message."""
    return [(m["role"], m["content"]) for m in server.messages()[1:]]


@pytest.mark.smoke
def test_a_prompt_gets_reasoning_a_call_a_result_and_an_answer(
    lab, lab_root, model_server, screenshot
):
    (lab_root / "one").mkdir(exist_ok=True)
    model_server.answers = [
        Answer([delta(reasoning_content="I look first."), *call("read", {"path": "."}).chunks]),
        text(ANSWER),
        text("You asked about files."),
    ]
    card = ".jp-LauncherCard[data-category='Notebook'][title='Chat (msgbook)']:visible"
    lab.page.locator(card).first.click()
    lab.wait_for_kernel()
    lab.type_in(0, "What is here?")
    lab.run(0)

    output = lab.cell(0).locator(".jp-OutputArea")
    expect(output.locator("strong", has_text="one file")).to_be_visible()
    expect(output.locator("mjx-container").first).to_be_visible()
    expect(output.locator("pre", has_text='print("hello")')).to_be_visible()
    expect(output.get_by_text("scripted-model")).to_be_visible()
    details = output.locator("details")
    expect(details.nth(2)).to_be_attached()
    expect(output.locator("details[open]")).to_have_count(0)
    screenshot("answered")

    details.first.locator("summary").click()
    expect(output.get_by_text("I look first.")).to_be_visible()
    lab.type_in(1, "What did I ask?")
    lab.run(1)

    expect(lab.cell(1).get_by_text("You asked about files.")).to_be_visible()
    context = lab.cells()[1]["outputs"][0]["data"]["application/vnd.msgbook.turn+json"]["context"]
    assert (context["source"], context["cells"]) == ("live", 1)
    screenshot("followed-up")
    assert lab.requests == []


def test_a_conversation_goes_on_after_it_was_saved_closed_and_opened(
    lab, lab_root, model_server, screenshot
):
    model_server.answers = [text("The first answer.", reasoning="First thought."), text("Second.")]
    write_notebook(lab_root / "saved.ipynb", "The first question", "The second question")
    lab.open("saved.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    expect(lab.cell(0).get_by_text("The first answer.")).to_be_visible()
    before = lab.cells()[0]
    lab.save()

    lab.close_all()
    lab.open("saved.ipynb")

    expect(lab.cell(0).get_by_text("The first answer.")).to_be_visible()
    expect(lab.cell(0).get_by_text("scripted-model")).to_be_visible()
    assert lab.cells()[0]["outputs"] == before["outputs"]
    screenshot("reopened")

    lab.wait_for_kernel()
    lab.run(1)
    expect(lab.cell(1).get_by_text("Second.")).to_be_visible()

    assert spoken(model_server) == [
        ("user", "The first question"),
        ("assistant", "The first answer."),
        ("user", "The second question"),
    ]


def test_the_model_sees_what_stands_on_the_page(lab, lab_root, model_server):
    model_server.answers = [text("Answer A."), text("Answer B."), text("Answer C.")]
    write_notebook(lab_root / "page.ipynb", "Question A", "Question B", "Question C")
    lab.open("page.ipynb")
    lab.wait_for_kernel()
    lab.command("notebook:run-all-cells")
    expect(lab.cell(2).get_by_text("Answer C.")).to_be_visible()
    assert [role for role, _ in spoken(model_server)] == ["user", "assistant"] * 2 + ["user"]

    lab.type_in(0, "Question A, edited")
    lab.cell(1).locator(".jp-InputPrompt").click()
    lab.command("notebook:move-cell-up")
    lab.run(2)
    expect(lab.cell(2).locator(".jp-InputPrompt")).to_have_text("[4]:")
    assert spoken(model_server) == [
        ("user", "Question B"),
        ("assistant", "Answer B."),
        ("user", "Question A, edited"),
        ("assistant", "Answer A."),
        ("user", "Question C"),
    ]

    lab.cell(0).locator(".jp-InputPrompt").click()
    lab.command("notebook:delete-cell")
    lab.run(1)
    expect(lab.cell(1).locator(".jp-InputPrompt")).to_have_text("[5]:")
    assert spoken(model_server) == [
        ("user", "Question A, edited"),
        ("assistant", "Answer A."),
        ("user", "Question C"),
    ]


def test_the_stop_button_ends_a_turn_and_keeps_what_has_arrived_and_what_was_opened(
    lab, lab_root, model_server, screenshot
):
    thinking = [delta(reasoning_content="A long thought."), delta(content="It begins")]
    model_server.answers = [Answer(thinking, hold=2), text("Fine again.")]
    write_notebook(lab_root / "stop.ipynb", "Think long", "Once more")
    lab.open("stop.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    expect(lab.cell(0).get_by_text("It begins")).to_be_visible()
    thought = lab.cell(0).locator("details").first
    expect(thought).not_to_have_attribute("open", "")
    thought.locator("summary").click()
    screenshot("streaming")

    lab.notebook.get_by_role("button", name="Interrupt the kernel").click()

    expect(lab.cell(0).get_by_text("Interrupted").first).to_be_visible()
    assert model_server.disconnected.wait(300)
    expect(lab.cell(0).get_by_text("A long thought.")).to_be_visible()
    screenshot("stopped")
    outputs = lab.cells()[0]["outputs"]
    assert [output["output_type"] for output in outputs] == ["display_data", "error"]
    assert outputs[0]["data"][TURN_MIME]["status"] == "interrupted"
    lab.run(1)
    expect(lab.cell(1).get_by_text("Fine again.")).to_be_visible()


def test_the_lines_of_a_message_wrap(lab, lab_root):
    write_notebook(lab_root / "long.ipynb", "A message of many words. " * 40)
    lab.open("long.ipynb")
    lab.wait_for_kernel()

    editor = lab.cell(0).locator(".cm-scroller")
    expect(editor).to_be_visible()
    assert editor.evaluate("node => node.scrollWidth <= node.clientWidth")
    assert editor.evaluate("node => node.clientHeight") > 60


TORN = """node => {
    const torn = [];
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        for (const { 0: word, index } of texts.currentNode.data.matchAll(/\\S+/g)) {
            const range = new Range();
            range.setStart(texts.currentNode, index);
            range.setEnd(texts.currentNode, index + word.length);
            const tops = Array.from(range.getClientRects(), rect => Math.round(rect.top));
            torn.push(...(new Set(tops).size > 1 ? [word] : []));
        }
    }
    return torn;
}"""


def test_the_lines_of_an_error_break_between_words_if_they_can(lab, lab_root):
    longer = "x" * 400
    line = f"SetupError: {'Neither OPENAI_BASE_URL nor %compact are set. ' * 12}{longer}"
    error = {"ename": "SetupError", "evalue": line[12:], "traceback": [line]}
    write_notebook(lab_root / "error.ipynb", "Why?")
    notebook = nbformat.read(lab_root / "error.ipynb", 4)
    notebook.cells[0].outputs = [nbformat.v4.new_output("error", **error)]
    nbformat.write(notebook, lab_root / "error.ipynb")
    lab.open("error.ipynb")
    lab.wait_for_kernel()

    shown = lab.cell(0).locator(".jp-OutputArea-output pre")
    expect(shown).to_have_text(line)
    assert shown.evaluate(TORN) == [longer]
    assert shown.evaluate("node => node.scrollWidth <= node.clientWidth")
