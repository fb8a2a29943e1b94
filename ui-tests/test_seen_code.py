"""A button runs code of an answer only if all of it is in sight."""

from __future__ import annotations

from typing import Any

import pytest
from chats import open_and_run
from playwright.sync_api import Locator, expect
from scripted_server import text

EVIL = "open('evil', 'w').close()"
RUN = "Insert the code below as a cell and run it"


def fenced(code: str, language: str = "python") -> str:
    return f"Here it is:\n\n```{language}\n{code}\n```\n"


def press_run(cell: Locator, number: int = 0) -> None:
    code = cell.locator("pre").nth(number)
    code.hover(position={"x": 15, "y": 15})
    cell.get_by_role("toolbar", name="Code").get_by_role("button", name=RUN, exact=True).click()


HIDDEN = {
    "tabs": "x = 1;" + "\t" * 99 + EVIL,
    "blanks, twice": "x = 1;" + " " * 99 + ";" + " " * 99 + EVIL,
    "indentation": "if True:\n" + " " * 300 + EVIL,
    "blank lines": "x = 1" + "\n" * 300 + EVIL,
    "lines with blanks": "x = 1\n" + "  \t\n" * 40 + EVIL,
    "many lines": "\n".join(f"x{n} = {n}" for n in range(200)) + "\n" + EVIL,
    "one long line": "x = '" + "word " * 5_000 + "'; " + EVIL,
    "zero width": f"x = 1;\u200b{EVIL}",
    "right to left": f"x = 1 # \u202e{EVIL}",
    "tags": f"x = '\U000e0041\U000e0042'; {EVIL}",
    "variation selectors": f"x = 'a\ufe0e\U000e0100'; {EVIL}",
    "fillers": f"x\u3164 = 1; {EVIL}",
    "marks": f"x = 'a{chr(0x336) * 30}'; {EVIL}",
}


def test_code_that_is_not_seen_as_a_whole_is_only_inserted(
    lab: Any, lab_root: Any, model_server: Any, screenshot: Any
) -> None:
    model_server.answers = [text("\n".join(fenced(code) for code in HIDDEN.values()))]
    cell = open_and_run(lab, lab_root / "hidden.ipynb", "Code?")
    expect(cell.locator("pre")).to_have_count(len(HIDDEN))
    for number, (kind, code) in enumerate(HIDDEN.items()):
        press_run(cell, number)
        expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(number + 3)
        said = lab.page.get_by_text("It was inserted but not run").first
        expect(said).to_be_visible()
        inserted = lab.cells()[1]
        assert inserted["source"] == f"%%python\n{code}"
        assert (inserted["execution_count"], inserted["outputs"]) == (None, []), kind
        screenshot(f"hidden-{number}")
        lab.command("apputils:dismiss-notification")
        expect(said).to_have_count(0)
    assert not (lab_root / "evil").exists()


@pytest.mark.parametrize("width", [1280, 700])
def test_a_wide_line_is_broken_so_that_all_of_it_is_seen(
    width: int, lab: Any, lab_root: Any, model_server: Any, screenshot: Any
) -> None:
    line = (
        "print('"
        + "-" * 300
        + "', "
        + " + ".join(f"'word {n}'" for n in range(40))
        + ", 'the end')"
    )
    model_server.answers = [text(fenced(line))]
    with lab.width(width):
        cell = open_and_run(lab, lab_root / "wide.ipynb", "Code?")
        code = cell.locator("pre")
        expect(code).to_have_count(1)
        screenshot("wide")
        assert code.evaluate("node => node.scrollWidth <= node.clientWidth")
        press_run(cell)
        expect(lab.cell(1).locator(".jp-OutputArea-output")).to_contain_text("the end")


_UNLIKE = """
pre => {
    const background = getComputedStyle(pre).backgroundColor;
    return [...pre.querySelectorAll('*')].flatMap(node => {
        const { color, backgroundColor, opacity, fontSize, visibility, display, position } = getComputedStyle(node);
        const clear = opacity === '1' && visibility === 'visible' && display.startsWith('inline')
            && position === 'static' && parseFloat(fontSize) > 9 && color !== background
            && color !== backgroundColor && !/^rgba.*, 0\\)$/.test(color);
        return clear ? [] : [node.outerHTML];
    });
}
"""


def test_no_colour_or_place_hides_a_part_of_code(
    lab: Any, lab_root: Any, model_server: Any
) -> None:
    tricky = "# <span class='cm-hidden' style='color: white'>x</span> \\x1b[8m\n@x\nclass A: 'é' + 1 # ok\n"
    languages = ("python", "bash", "html", "diff", "javascript", "css", "ansi", "markdown", "latex")
    model_server.answers = [text("\n".join(fenced(tricky, language) for language in languages))]
    cell = open_and_run(lab, lab_root / "colours.ipynb", "Code?")
    codes = cell.locator("pre")
    expect(codes).to_have_count(len(languages))
    assert [code.evaluate(_UNLIKE) for code in codes.all()] == [[]] * len(languages)
    with lab.dark():
        assert [code.evaluate(_UNLIKE) for code in codes.all()] == [[]] * len(languages)
