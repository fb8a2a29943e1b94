"""What a prompt names on the page is sent with it, and seen in the turn."""

from __future__ import annotations

import json

import nbformat
from chats import answer, approve, turn_of, write_notebook
from playwright.sync_api import expect
from scripted_server import text


def test_files_values_cells_and_tools_of_a_prompt_reach_the_model(
    lab, lab_root, model_server, screenshot
):
    (lab_root / "numbers.csv").write_text("n\n1\n2\n")
    model_server.answers = [text("Two numbers; see $n$.")]
    arguments = json.dumps({"path": "report.txt", "content": "Draft"})
    write_notebook(
        lab_root / "names.ipynb",
        "%%python\nimport pandas as pd\nframe = pd.read_csv('numbers.csv')\nlen(frame)",
        "#define DATA numbers\nWhat is in @[{{DATA}}.csv] and @[py:frame]? See @[missing.md].\n"
        f"@[write{arguments}]",
    )
    lab.open("names.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    expect(lab.cell(0).get_by_text("2", exact=True).last).to_be_visible()
    lab.run(1)

    cell = lab.cell(1)
    expect(cell.get_by_text("report.txt").last).to_be_visible()
    screenshot("asked")
    assert model_server.requests == []
    answer(approve(cell))
    expect(cell.get_by_text("Two numbers;")).to_be_visible()
    screenshot("answered")

    words = model_server.messages()[-1]["content"].partition("<content_reference>")[2]
    block = json.loads(words.removesuffix("</content_reference>"))
    assert block["files"]["numbers.csv"] == "n\n1\n2\n"
    assert "2 rows x 1 columns" in block["files"]["py:frame"]
    assert block["tools"][0]["name"] == "write"
    assert (lab_root / "report.txt").read_text() == "Draft"
    context = turn_of(lab.cells()[1])["context"]
    assert (context["source"], context["macros"]) == ("live", {"DATA": "numbers"})
    expect(cell.get_by_text("@[missing.md] is not sent: ")).to_be_visible()
    lab.save()
    saved = nbformat.read(lab_root / "names.ipynb", 4)
    assert saved.metadata.msgbook.macros == {"DATA": "numbers"}
