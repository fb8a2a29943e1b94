"""Tools on the cells of a notebook that a page shows: the page makes the change, the kernel runs the code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kernel_client import FakePage, KernelClient, Message
from scripted_server import ScriptedServer, call, text

from msgbook_format.turn import TURN_MIME

BROKEN = "%%python\nx = 1\nx / 0"


def cells() -> list[dict[str, Any]]:
    made = [("code", "code", BROKEN), ("note", "markdown", "A note"), ("ask", "code", "Mend it.")]
    below = ("below", "code", "%%python\n'below'")
    return [
        {"id": name, "cell_type": kind, "source": source, "metadata": {}, "outputs": []}
        for name, kind, source in (*made, below)
    ]


@pytest.fixture
def server(kernel, module_server) -> ScriptedServer:
    return module_server


@pytest.fixture
def page(kernel: KernelClient) -> Iterator[FakePage]:
    opened = FakePage(kernel, cells())
    opened.decide = lambda asked: {"decision": "once", "arguments": asked["arguments"]}
    yield opened
    opened.close()


def ask(kernel: KernelClient, page: FakePage) -> list[dict[str, Any]]:
    """Run the message, and return the results of its calls."""
    _, messages = kernel.finish(kernel.start("Mend it.", "ask"), page.take)
    return results(messages)


def results(messages: list[Message]) -> list[dict[str, Any]]:
    shown = [m["content"]["data"] for m in messages if "transient" in m["content"]]
    blocks = shown[-1][TURN_MIME]["blocks"]
    return [block for block in blocks if block["type"] == "tool_result"]


def content(result: dict[str, Any]) -> str:
    return str(result["content"])


@pytest.mark.smoke
def test_a_broken_cell_is_mended_and_run_and_its_output_is_in_the_cell(kernel, server, page):
    server.answers = [
        call("run_cell", {"cell": "code"}, "c1"),
        call("edit_cell", {"cell": "code", "old": "x / 0", "new": "print('hi')\nx / 1"}, "c2"),
        call("run_cell", {"cell": "code"}, "c3"),
        text("Done."),
    ]

    failed, edited, ran = ask(kernel, page)

    assert (failed["status"], edited["status"], ran["status"]) == ("error", "success", "success")
    assert "ZeroDivisionError" in content(failed)
    assert content(edited).endswith("-x / 0\n+print('hi')\n+x / 1\n")
    assert content(ran) == "hi\n1.0"
    cell = page.cells[0]
    assert cell["source"] == "%%python\nx = 1\nprint('hi')\nx / 1"
    assert [output["output_type"] for output in cell["outputs"]] == ["stream", "execute_result"]
    assert cell["outputs"][0]["text"] == "hi\n"
    assert cell["outputs"][1]["data"] == {"text/plain": "1.0"}
    assert cell["outputs"][1]["execution_count"] == cell["execution_count"]
    run, change, again = page.got("approval.ask")
    assert run["preview"] == BROKEN
    assert "-x / 0\n" in change["preview"]
    assert run["choices"] == again["choices"] == ["once", "no", "edit"]
    shown = page.got("cells.change")[0]["change"]["outputs"]
    assert (shown[0]["ename"], shown[0]["evalue"]) == ("ZeroDivisionError", "division by zero")


def test_a_cell_edited_by_hand_while_its_diff_is_looked_at_is_left_as_it_is(kernel, server, page):
    server.answers = [
        call("edit_cell", {"cell": "code", "old": "x / 0", "new": "x"}, "c1"),
        text("A pity."),
    ]

    def decide(asked: Message) -> Message:
        page.cells[0]["source"] = "%%python\nmine\nx / 0"
        return {"decision": "no" if "mine" in asked["preview"] else "once"}

    page.decide = decide

    [refused] = ask(kernel, page)

    assert refused["status"] == "denied"
    assert page.cells[0]["source"] == "%%python\nmine\nx / 0"
    assert len(page.got("approval.ask")) == 2
    assert page.got("cells.change") == []


def test_a_change_between_the_approval_and_the_deed_is_noticed_by_the_page(kernel, server, page):
    server.answers = [
        call("edit_cell", {"cell": "code", "old": "x / 0", "new": "x"}, "c1"),
        text("A pity."),
    ]
    page.change = lambda _change: "changed"

    [refused] = ask(kernel, page)

    assert (refused["status"], content(refused)) == (
        "error",
        "Nothing was changed: the cell has changed meanwhile. Read it again.",
    )


def test_cells_are_inserted_read_and_run_also_below_the_message(kernel, server, page):
    server.answers = [
        call("insert_cell", {"after": "ask", "kind": "code", "source": "6 * 7"}, "c1"),
        call("read_cell", {}, "c2"),
        call("run_cell", {"cell": "#4"}, "c3"),
        call("read_cell", {"cell": "#4"}, "c4"),
        text("Done."),
    ]

    inserted, listed, ran, seen = ask(kernel, page)

    name = page.cells[3]["id"]
    assert content(inserted) == f"Inserted a cell below cell ask with the id {name}."
    assert content(listed).splitlines()[3] == f"#4 {name} code: %%python 6 * 7"
    assert content(ran) == "42"
    assert content(seen).endswith("%%python\n6 * 7\n\n[output]\n42")
    asked = page.got("approval.ask")[0]
    assert asked["reason"] == "it inserts a code cell below the cell ask"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"cell": "ask"}, "it is the message that you are answering"),
        ({"cell": "note"}, "it is a note"),
        ({"cell": "gone"}, "no cell in this notebook has the id"),
    ],
)
def test_other_cells_are_not_run(kernel, server, page, arguments, words):
    server.answers = [call("run_cell", arguments, "c1"), text("A pity.")]

    [refused] = ask(kernel, page)

    assert words in content(refused)
    assert page.got("approval.ask") == []


def test_a_cell_that_ends_the_kernel_or_asks_for_input_fails_and_the_kernel_lives(
    kernel, server, page
):
    page.cells[0]["source"] = "%%python\nexit()"
    page.cells[3]["source"] = "%%python\ninput('Who?')"
    server.answers = [
        call("run_cell", {"cell": "code"}, "c1"),
        call("run_cell", {"cell": "below"}, "c2"),
        text("A pity."),
    ]

    ended, asked = ask(kernel, page)

    assert "This would end the notebook's kernel; only its user may." in content(ended)
    assert "Nobody can be asked 'Who?'" in content(asked)
    reply, _ = kernel.finish(kernel.start("%%python\n1 + 1", "code"), page.take)
    assert reply["status"] == "ok"


def test_values_of_a_cell_have_numbers_as_if_a_person_had_run_it(kernel, server, page):
    page.cells[0]["source"] = "%%python\n40 + 2"
    server.answers = [call("run_cell", {"cell": "code"}, "c1"), text("Done.")]

    ask(kernel, page)

    count = page.cells[0]["execution_count"]
    server.answers = [text("Hello.")]
    code = f"%%python\nassert Out[{count}] == 42 == _, Out"
    reply, _ = kernel.finish(kernel.start(code, "below"), page.take)
    assert reply["status"] == "ok"
    assert reply["execution_count"] == count + 1


def test_in_a_python_notebook_code_is_changed_and_run_as_it_is(module_server, tmp_path):
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    module_server.reset()
    module_server.answers = [
        call("edit_cell", {"cell": "code", "old": "x / 0", "new": "x / 4"}, "c1"),
        call("insert_cell", {"after": "code", "kind": "code", "source": "y = x + 1\ny"}, "c2"),
        call("run_cell", {"cell": "code"}, "c3"),
        call("run_cell", {"cell": "#2"}, "c4"),
        call("edit_cell", {"cell": "ask", "old": "Mend", "new": "x"}, "c5"),
        call("insert_cell", {"after": "ask", "kind": "code", "source": "exit()"}, "c6"),
        call("run_cell", {"cell": "#4"}, "c7"),
        call("run_cell", {"cell": "c1"}, "c8"),
        text("Done."),
    ]
    sources = {"code": "x = 1\nx / 0", "ask": "%%msg\nMend it."}
    shown = [
        {"id": name, "cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        for name, source in sources.items()
    ]
    with KernelClient(settings, str(tmp_path), name="msgbook-python") as kernel:
        page = FakePage(kernel, shown)
        page.metadata = {"kernelspec": {"name": "msgbook-python"}}
        page.decide = lambda asked: {"decision": "once"}
        _, messages = kernel.finish(kernel.start(sources["ask"], "ask"), page.take)
        page.close()

    found = results(messages)
    assert [one["status"] for one in found] == [
        *["success"] * 4,
        "error",
        "success",
        *["error"] * 2,
    ]
    assert "This would end the notebook's kernel" in content(found[6])
    assert "no cell in this notebook has the id 'c1'" in content(found[7])
    assert [content(one) for one in found[2:4]] == ["0.25", "2"]
    assert [cell["source"] for cell in page.cells] == [
        "x = 1\nx / 4",
        "y = x + 1\ny",
        "%%msg\nMend it.",
        "exit()",
    ]


def test_without_a_page_the_tools_on_cells_are_not_offered(kernel, server):
    server.answers = [text("Hello.")]

    kernel.finish(kernel.start("hi", "a"), lambda _message: None)

    offered = {tool["function"]["name"] for tool in server.requests[-1]["tools"]}
    assert "python" in offered
    assert not offered & {"read_cell", "edit_cell", "insert_cell", "run_cell"}
