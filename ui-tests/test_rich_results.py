"""What tools display, drawn as in any cell; long results and JSON; diagrams in answers."""

from __future__ import annotations

import json

from chats import answer, approve, open_and_run, turn_of
from page_attack import ATTACK
from playwright.sync_api import expect
from saved_turns import display, result, write_turn
from scripted_server import call, text

CODE = """
import io
from IPython.display import HTML, JSON, Markdown, SVG, Math, display
display(HTML("<style>td {color: red}</style><table><tr><th>name</th></tr><tr><td>Ada</td></tr></table>"))
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="teal"/></svg>'))
display(Markdown("a **bold** word"), Math("x^2"))
display(JSON({"a": {"b": 1}}))
display({"application/vnd.vegalite.v5+json": {
    "data": {"values": [{"x": "A", "y": 28}, {"x": "B", "y": 55}]}, "mark": "bar", "height": 80,
    "encoding": {"x": {"field": "x", "type": "nominal"}, "y": {"field": "y", "type": "quantitative"}}},
    "text/plain": "<VegaLite>"}, raw=True)
print("done")
"""

DIAGRAM = "Here it is:\n\n```mermaid\ngraph LR\n  A[Start] --> B[End]\n```\n\nThat is all."
LEAKING = 'graph LR\n  A@{ img: "http://leak.invalid/a.png" } --> B'


def test_what_python_displays_is_drawn_below_its_result(lab, lab_root, model_server, screenshot):
    model_server.answers = [call("python", {"code": CODE}), text("Drawn.")]
    cell = open_and_run(lab, lab_root / "rich.ipynb", "Draw all you can.")
    answer(approve(cell))

    expect(cell.locator(".msgbook-Text").last).to_contain_text("Drawn.")
    shown = cell.locator(".msgbook-Display")
    expect(shown.locator("td")).to_have_text("Ada")
    expect(shown.locator("img.msgbook-Image")).to_have_js_property("naturalWidth", 40)
    expect(shown.locator("strong")).to_have_text("bold")
    expect(shown.locator("mjx-container")).to_have_count(1)
    expect(shown.locator(".msgbook-Json-key").first).to_have_text("a: ")
    chart = shown.get_by_role("img", name="Chart")
    expect(chart).to_have_count(1)
    assert chart.evaluate("node => node.naturalHeight") > 80
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("narrow")
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    kinds = [block["type"] for block in turn_of(lab.cells()[0])["blocks"]]
    assert kinds.count("display") == 6
    assert lab.requests == []


def test_a_chart_that_would_load_something_is_drawn_without_it(lab, lab_root, screenshot):
    spec = {"data": {"url": "http://leak.invalid/cars.json"}, "mark": "bar"}
    write_turn(lab_root / "chart.ipynb", display({"application/vnd.vegalite.v5+json": spec}))
    lab.open("chart.ipynb")

    cell = lab.cell(0)
    expect(cell.locator(".msgbook-Display-note")).to_contain_text("not trusted")
    cell.get_by_role("button", name="Draw it").click()
    expect(cell.get_by_role("img", name="Chart")).to_have_count(1)
    expect(cell.locator(".msgbook-Display-note")).to_contain_text("http://leak.invalid/cars.json")
    screenshot("without")
    assert lab.requests == []


def test_scripts_of_html_never_run_and_the_rest_is_shown_in_a_frame(lab, lab_root, screenshot):
    source = (
        "<p>before</p><script>parent.hacked = 1; document.body.append('ran')</script>"
        '<style>p { color: rgb(1, 2, 3) }</style><svg width="40" height="40"><rect width="40" height="40"/></svg>'
    )
    write_turn(lab_root / "scripts.ipynb", display({"text/html": source}))
    lab.open("scripts.ipynb")

    cell = lab.cell(0)
    expect(cell.locator(".msgbook-Display-html")).to_have_text("before")
    cell.get_by_role("button", name="Show it without scripts and frames").click()
    frame = cell.frame_locator("iframe")
    expect(frame.locator("p")).to_have_css("color", "rgb(1, 2, 3)")
    expect(frame.locator("rect")).to_be_visible()
    expect(frame.locator("body")).not_to_contain_text("ran")
    screenshot("frame")
    assert lab.page.evaluate("() => window.hacked") is None
    assert lab.requests == []


def test_json_is_a_tree_and_a_long_text_is_searched(lab, lab_root, screenshot):
    lines = "\n".join(f"line {n}: {'needle' if n == 700 else 'hay'}" for n in range(1000))
    tree = json.dumps({"users": [{"name": "Ada"}, {"name": "Alan"}], "count": 2})
    write_turn(lab_root / "long.ipynb", *result(tree), *result(lines))
    lab.open("long.ipynb")
    results = lab.cell(0).locator(".msgbook-Result")

    expect(results).to_have_count(2)
    results.nth(0).locator("summary").first.click()
    results.nth(0).get_by_text("users:").click()
    expect(results.nth(0).get_by_text("[2]")).to_be_visible()
    results.nth(1).locator("summary").first.click()
    search = results.nth(1).get_by_role("searchbox")
    search.fill("NEEDLE")
    expect(results.nth(1).get_by_role("status")).to_have_text("1 match")
    expect(results.nth(1).locator("mark")).to_be_in_viewport()
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    search.press("d")
    search.press("d")
    assert len(lab.cells()) == 1
    results.nth(1).get_by_role("button", name="Show all of 1000 lines").click()
    results.nth(0).get_by_role("button", name="Show as text").click()
    expect(results.nth(0).locator(".msgbook-JsonResult pre")).to_have_text(tree)


def test_a_diagram_is_drawn_unless_it_could_load_something(lab, lab_root, model_server, screenshot):
    model_server.answers = [text(f"{DIAGRAM}\n\n```mermaid\n{LEAKING}\n```")]
    cell = open_and_run(lab, lab_root / "diagram.ipynb", "Draw a diagram.")

    image = cell.locator(".msgbook-Diagram-image")
    expect(image).to_have_count(1)
    expect(image).to_be_visible()
    expect(cell.locator("pre").filter(has_text="leak.invalid")).to_be_visible()
    screenshot("light")
    with lab.dark():
        # Its lines are as dark as the page.
        expect(image).to_have_css("background-color", "rgb(255, 255, 255)")
        screenshot("dark")
    cell.get_by_text("Source of the diagram").click()
    expect(cell.locator(".msgbook-Diagram code")).to_contain_text("A[Start] --> B[End]")
    assert lab.requests == []


def test_hostile_displays_run_and_load_nothing(lab, lab_root):
    texts = ["text/html", "text/markdown", "text/latex", "image/svg+xml"]
    charts = ["application/vnd.plotly.v1+json", "application/vnd.vega.v5+json", "application/json"]
    hostile = [display({mime: ATTACK}) for mime in texts]
    hostile += [display({mime: {"url": ATTACK, ATTACK: [ATTACK]}}) for mime in charts]
    hostile += [display({mime: ATTACK}) for mime in charts]
    hostile += [{"type": "display", "data": data} for data in (None, 1, [], ATTACK, {ATTACK: 1})]
    write_turn(lab_root / "hostile.ipynb", *hostile, {"type": "text", "text": "The end."})
    lab.open("hostile.ipynb")

    expect(lab.cell(0).locator(".msgbook-Text").last).to_contain_text("The end.")
    expect(lab.cell(0).locator(".msgbook-Json")).not_to_have_count(0)
    assert lab.page.evaluate("() => window.hacked") is None
    assert lab.requests == []
