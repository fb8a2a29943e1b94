"""Files that are pasted or dropped into a prompt: a reference is inserted, and what it names is sent."""

from __future__ import annotations

import base64
import re

from chats import write_notebook
from playwright.sync_api import expect
from scripted_server import text

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

HAND_OVER = """([kind, name, type, data]) => {
    const bytes = Uint8Array.from(atob(data), one => one.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name, { type }));
    const cell = window.jupyterapp.shell.currentWidget.content.widgets[0];
    const target = cell.node.querySelector('.cm-content');
    const box = target.getBoundingClientRect();
    const place = { clientX: box.right - 2, clientY: box.top + 8 };
    const given = kind === 'paste'
        ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
        : new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true, ...place });
    target.dispatchEvent(given);
}"""


def _source(lab) -> str:
    return lab.cells()[0]["source"]


def _wait_for_source(lab, source: str) -> None:
    lab.page.wait_for_function(
        "source => window.jupyterapp.shell.currentWidget.content.widgets[0]"
        ".model.sharedModel.getSource() === source",
        arg=source,
    )


def test_an_image_is_pasted_saved_beside_the_text_file_and_sent(
    lab, lab_root, model_server, screenshot
):
    (lab_root / "paste.msg.md").write_text("# %% [^ask]\n\nWhat is this?\n")
    model_server.answers = [text("One pixel.")]
    lab.open("paste.msg.md")
    lab.wait_for_kernel()
    lab.type_in(0, "What is this?")
    lab.page.evaluate(HAND_OVER, ["paste", "image.png", "image/png", PIXEL])
    first = "What is this? ![image.png](attachments/image.png)"
    _wait_for_source(lab, first)
    lab.page.evaluate(HAND_OVER, ["paste", "image.png", "image/png", PIXEL])
    both = f"{first} ![image-2.png](attachments/image-2.png)"
    _wait_for_source(lab, both)
    assert (lab_root / "attachments" / "image.png").read_bytes() == base64.b64decode(PIXEL)
    screenshot("pasted")

    lab.run(0)
    expect(lab.cell(0).locator(".msgbook-Text")).to_contain_text("One pixel.")
    parts = model_server.messages()[-1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "image_url"]
    lab.save()
    assert both in (lab_root / "paste.msg.md").read_text()


def test_files_of_the_computer_and_of_the_file_browser_become_references(
    lab, lab_root, model_server, screenshot
):
    # In a folder of its own: files of other tests would move the file out of sight.
    folder = lab_root / "drop"
    folder.mkdir(exist_ok=True)
    (folder / "numbers.csv").write_text("n\n1\n")
    write_notebook(folder / "drop.ipynb", "Read")
    lab.open("drop/drop.ipynb")
    lab.wait_for_kernel()
    lab.command("filebrowser:go-to-path", path="/drop", dontShowBrowser=True)
    lab.command("filebrowser:refresh")
    lab.cell(0).locator(".cm-content").click()
    words = base64.b64encode(b"words").decode()
    lab.page.evaluate(HAND_OVER, ["drop", "my notes.txt", "text/plain", words])
    _wait_for_source(lab, "Read @[attachments/my-notes.txt]")
    assert (folder / "attachments" / "my-notes.txt").read_text() == "words"
    long = f"../]{'n' * 5000}.txt"
    lab.page.evaluate(HAND_OVER, ["drop", long, "text/plain", words])
    expect(lab.cell(0).locator(".cm-content")).to_contain_text(re.compile("n{190,196}.txt]"))
    assert len([*(folder / "attachments").glob("[!.]*")]) == 2
    lab.type_in(0, "Read @[attachments/my-notes.txt]")

    # The new folder stands above the file, and moves it down.
    expect(lab.page.locator(".jp-DirListing-item", has_text="attachments")).to_be_visible()
    file = lab.page.locator(".jp-DirListing-item", has_text="numbers.csv")
    start, end = file.bounding_box(), lab.cell(0).locator(".cm-content").bounding_box()
    assert start is not None
    assert end is not None
    lab.page.mouse.move(start["x"] + 40, start["y"] + 8)
    lab.page.mouse.down()
    lab.page.mouse.move(start["x"] + 60, start["y"] + 30, steps=4)
    lab.page.mouse.move(end["x"] + end["width"] - 300, end["y"] + 10, steps=6)
    lab.page.mouse.up()
    _wait_for_source(lab, "Read @[attachments/my-notes.txt] @[numbers.csv]")
    screenshot("dropped")
    with lab.dark():
        screenshot("dropped-dark")


def test_a_failing_upload_says_so_and_code_takes_no_files(lab, lab_root, screenshot):
    write_notebook(lab_root / "failing.ipynb", "Read")
    lab.open("failing.ipynb")
    lab.wait_for_kernel()
    lab.cell(0).locator(".cm-content").click()
    lab.page.route("**/api/contents/attachments/**", lambda route: route.abort())
    try:
        lab.page.evaluate(HAND_OVER, ["paste", "image.png", "image/png", PIXEL])
        expect(lab.page.get_by_text("image.png is not attached:")).to_be_visible()
        with lab.width(700):
            screenshot("failed-700")
        hostile = "\u202egnp.txt\n" + "<img src=x>" * 500
        lab.page.evaluate(HAND_OVER, ["paste", hostile, "text/plain", PIXEL])
        told = lab.page.locator(".Toastify__toast", has_text="202e")
        expect(told).to_contain_text(
            re.compile(r"^\\u202egnp\.txt <img.{0,60}… is not attached: .")
        )
        screenshot("hostile")
    finally:
        lab.page.unroute("**/api/contents/attachments/**")
    assert _source(lab) == "Read"
    lab.type_in(0, "%%python\n1")
    lab.page.evaluate(HAND_OVER, ["paste", "image.png", "image/png", PIXEL])
    assert _source(lab) == "%%python\n1"
