"""What a tool puts out shows while it runs, and is what stays."""

from __future__ import annotations

from chats import answer, approve, turn_of, write_notebook
from playwright.sync_api import expect
from scripted_server import call, text


def test_the_output_of_a_command_shows_while_it_runs(lab, lab_root, model_server, screenshot):
    command = (
        "for n in 1 2 3; do echo line $n; done; until [ -e go ]; do sleep 0.05; done; echo end"
    )
    model_server.answers = [
        call("shell", {"command": command}),
        call("python", {"code": "for n in range(3):\n    print('square of', n, 'is', n * n)\nn"}),
        text("All is done."),
    ]
    write_notebook(lab_root / "shell.ipynb", "Run it")
    lab.open("shell.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    cell = lab.cell(0)
    expect(cell.get_by_text("runs a command")).to_be_visible()
    answer(approve(cell))

    expect(cell.get_by_text("line 3")).to_be_visible()
    expect(cell.get_by_text("exit code")).to_have_count(0)
    screenshot("running")
    (lab_root / "go").touch()

    answer(approve(cell))
    expect(cell.get_by_text("All is done.", exact=True)).to_be_visible()
    screenshot("done")
    results = [b for b in turn_of(lab.cells()[0])["blocks"] if b["type"] == "tool_result"]
    assert [block["status"] for block in results] == ["success", "success"]
    assert results[0]["content"] == "line 1\nline 2\nline 3\nend\n[exit code 0]"
    assert results[1]["content"] == "square of 0 is 0\nsquare of 1 is 1\nsquare of 2 is 4\n2"
