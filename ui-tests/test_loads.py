"""What a turn shows loads nothing and connects to nobody, whatever its type, its trust and its age."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from chats import answer, approve, open_and_run, turn_of
from loading_data import (
    LITE,
    MARK,
    Listener,
    html_that_leaves,
    loading_bundles,
    markdown_that_loads,
)
from page_guard import see_all
from playwright.sync_api import Locator, expect
from saved_turns import display, write_turn
from scripted_server import call, text

END = {"type": "text", "text": "The end."}
ONE_CALL = 50
"""Displays that the kernel keeps of a call."""

_TRUST = """
() => {
    const { model } = window.jupyterapp.shell.currentWidget.content;
    for (const cell of model.cells) {
        cell.trusted = true;
    }
}
"""

_FOREIGN = """
() => {
    const { rendermime } = window.jupyterapp.shell.currentWidget.content;
    const mimeTypes = [...rendermime.mimeTypes, 'application/vnd.hostile.v1+json', 'application/pdf',
        'application/vnd.plotly.v1+json', 'application/geo+json'];
    window.foreign = [];
    const { createRenderer } = Object.getPrototypeOf(rendermime);
    rendermime.addFactory({
        safe: true,
        mimeTypes: mimeTypes.filter(type => !type.includes('msgbook') && !type.includes('stderr')),
        createRenderer: ({ mimeType }) => {
            window.foreign.push(mimeType);
            throw new Error('a renderer of another extension');
        }
    }, 11);
}
"""
"""Renderers of another extension, for each type but turns: they come before all but those of turns."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    heard = Listener()
    yield heard
    heard.close()


@pytest.fixture
def asked(lab: Any) -> Iterator[list[str]]:
    """The requests of the page, to its own server too, that nothing shown may make."""
    found: list[str] = []
    note = lambda request: found.append(request.url) if MARK in request.url else None  # noqa: E731
    lab.page.on("request", note)
    yield found
    lab.page.remove_listener("request", note)


def press_all(cell: Locator) -> None:
    """Press each button below a display: what it offers loads nothing either."""
    offers = cell.locator(".msgbook-Display-note button")
    while offers.count():
        offers.first.click()


def drawn(cell: Locator, charts: int) -> None:
    """Wait until each chart is a picture, or says why it is not; some are pictures."""
    picture = cell.locator("img.msgbook-Chart")
    expect(picture.or_(cell.get_by_text("cannot be drawn"))).to_have_count(charts)
    expect(picture.first).to_be_attached()


def test_saved_displays_of_each_type_load_nothing(
    lab: Any, lab_root: Any, listener: Any, asked: Any, screenshot: Any
) -> None:
    bundles = loading_bundles(listener.host)
    charts = sum(any("vega" in mime for mime in bundle) for bundle in bundles)
    says = {"type": "text", "text": markdown_that_loads(listener.host)}
    write_turn(lab_root / "loads.ipynb", says, *map(display, bundles), END)
    lab.requests.clear()
    for state in ("untrusted", "trusted", "reopened"):
        lab.open("loads.ipynb")
        lab.wait_for_kernel()
        if state == "trusted":
            lab.page.evaluate(_TRUST)
        expect(lab.cell(0).get_by_text("The end.")).to_be_attached()
        see_all(lab)
        press_all(lab.cell(0))
        drawn(lab.cell(0), charts)
        expect(lab.cell(0).get_by_text("Nothing was loaded").first).to_be_attached()
        expect(
            lab.cell(0).locator(".vega-embed, .js-plotly-plot, .leaflet-container")
        ).to_have_count(0)
        screenshot(state)
        assert listener.heard(lab.page) == []
        assert asked == []
        assert lab.requests == [f"http://{listener.host}/the-end"]
        assert lab.page.evaluate("() => window.hacked") is None
        lab.requests.clear()
        lab.save()
        lab.close_all()


def test_displays_of_an_approved_call_load_nothing(
    lab: Any, lab_root: Any, model_server: Any, listener: Any, asked: Any
) -> None:
    bundles = loading_bundles(listener.host)
    calls = [bundles[n : n + ONE_CALL] for n in range(0, len(bundles), ONE_CALL)]
    code = "from IPython.display import display\nimport json\nfor one in json.loads({!r}): display(one, raw=True)"
    model_server.answers = [
        *(call("python", {"code": code.format(json.dumps(some))}) for some in calls),
        text(f"{markdown_that_loads(listener.host)}\n\nThe end."),
    ]
    cell = open_and_run(lab, lab_root / "live.ipynb", "Draw all you can.")
    for _ in calls:
        # The next question may stand there before anyone sees that this one has gone.
        question = cell.locator(".msgbook-mod-asking").element_handle()
        answer(approve(cell))
        lab.page.wait_for_function(
            "node => !node.classList.contains('msgbook-mod-asking')", arg=question
        )
    expect(cell.get_by_text("The end.").last).to_be_attached()
    see_all(lab)
    press_all(cell)
    shown = [block for block in turn_of(lab.cells()[0])["blocks"] if block["type"] == "display"]
    drawn(cell, sum(any("vega" in mime for mime in block["data"]) for block in shown))

    assert len(shown) > 60
    assert listener.heard(lab.page) == []
    assert asked == []
    assert lab.page.evaluate("() => window.hacked") is None


def test_no_renderer_of_another_extension_draws_a_display(
    lab: Any, lab_root: Any, listener: Any, asked: Any
) -> None:
    bundles = loading_bundles(listener.host)
    write_turn(lab_root / "empty.ipynb", END)
    write_turn(lab_root / "foreign.ipynb", *map(display, bundles), END)
    lab.open("empty.ipynb")
    lab.wait_for_kernel()
    lab.page.evaluate(_FOREIGN)
    lab.page.evaluate(
        """turn => {
            const { content } = window.jupyterapp.shell.currentWidget;
            content.model.cells.get(0).outputs.fromJSON(turn);
        }""",
        json.loads((lab_root / "foreign.ipynb").read_text())["cells"][0]["outputs"],
    )
    expect(lab.cell(0).get_by_text("The end.")).to_be_attached()
    see_all(lab)
    press_all(lab.cell(0))

    assert lab.page.evaluate("() => window.foreign") == []
    assert listener.heard(lab.page) == []
    assert asked == []


def test_a_chart_is_a_picture_with_what_it_holds(lab: Any, lab_root: Any, screenshot: Any) -> None:
    values = {"values": [{"x": "A", "y": 28}, {"x": "B", "y": 55}]}
    encoding = {"x": {"field": "x", "type": "nominal"}, "y": {"field": "y", "type": "quantitative"}}
    spec = {"description": "Two bars", "data": values, "mark": "bar", "encoding": encoding}
    write_turn(lab_root / "picture.ipynb", display({LITE: spec}))
    lab.open("picture.ipynb")
    lab.page.evaluate(_TRUST)
    lab.cell(0).get_by_role("button", name="Draw it").click()

    picture = lab.cell(0).get_by_role("img", name="Two bars")
    expect(picture).to_be_visible()
    assert picture.evaluate("node => node.naturalHeight") > 100
    assert "rect" in picture.get_attribute("src") or "path" in picture.get_attribute("src")
    screenshot("picture")


def test_html_in_its_frame_connects_to_nobody(
    lab: Any, lab_root: Any, listener: Any, asked: Any
) -> None:
    ways = html_that_leaves(listener.host)
    pages = [f"<svg></svg>{way}" for way in ways]
    write_turn(lab_root / "leaving.ipynb", *(display({"text/html": page}) for page in pages), END)
    lab.requests.clear()
    lab.open("leaving.ipynb")
    lab.wait_for_kernel()
    expect(lab.cell(0).get_by_text("The end.")).to_be_attached()
    see_all(lab)
    press_all(lab.cell(0))

    frames = lab.cell(0).locator("iframe")
    expect(frames).to_have_count(len(ways))
    for frame in frames.all():
        expect(frame.content_frame.locator("body")).to_be_attached()
        frame.scroll_into_view_if_needed()
        box = frame.bounding_box()
        lab.page.mouse.move(box["x"] + 30, box["y"] + 30)
        lab.page.mouse.click(box["x"] + 40, box["y"] + 40)
    assert listener.heard(lab.page) == []
    assert asked == []
    assert lab.requests == [f"http://{listener.host}/the-end"]
