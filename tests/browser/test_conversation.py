"""A conversation in JupyterLab, as a person holds it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from scripted_server import Answer, call, delta, text

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ANSWER = """\
There is **one file**. In Python, with $e^{i\\pi} = -1$ in mind:

```python
print("hello")
```
"""


def test_a_prompt_gets_reasoning_a_call_a_result_and_an_answer(
    lab, lab_root, model_server, screenshot
):
    (lab_root / "one").mkdir()
    model_server.answers = [
        Answer([delta(reasoning_content="I look first."), *call("read", {"path": "."}).chunks]),
        text(ANSWER),
        text("You asked about files."),
    ]
    lab.open()
    lab.page.locator(".jp-LauncherCard[title='Chat (msgbook)']").first.click()
    lab.wait_for_kernel()
    lab.type_in(0, "What is here?")
    lab.run(0)

    output = lab.cell(0).locator(".jp-OutputArea")
    expect(output.locator("strong", has_text="one file")).to_be_visible()
    expect(output.locator("mjx-container").first).to_be_visible()
    expect(output.locator("pre", has_text='print("hello")')).to_be_visible()
    expect(output.get_by_text("scripted-model")).to_be_visible()
    details = output.locator("details")
    assert details.count() >= 3
    assert [details.nth(n).get_attribute("open") for n in range(details.count())] == [
        None
    ] * details.count()
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
