"""An answer as models write it, on the page: formulas, money, tables, harmless tags, footnotes and diffs."""

from __future__ import annotations

from pathlib import Path

from chats import open_and_run
from lab import Lab
from playwright.sync_api import expect
from scripted_server import ScriptedServer, text

ANSWER = r"""
By \( a^2 + b^2 = c^2 \) and

\[ \int_0^\infty e^{-x}\,dx
= 1 \]

it is $5 to $10 per month; apples cost $2, pears $3.

$$\begin{aligned} a &= b \\ c &= d \end{aligned}$$

| name | price |
|:-----|------:|
| one<br>two | 12 |
| H<sub>2</sub>O | 7 |

Press <kbd>Enter</kbd>. It is known.[^1]

<details><summary>More</summary>

Hidden words.

</details>

```diff
-old
+new
```

[^1]: By the source.
"""


def test_an_answer_is_shown_as_its_model_meant_it(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, screenshot
) -> None:
    model_server.answers = [text(ANSWER)]
    cell = open_and_run(lab, lab_root / "dialect.ipynb", "Tell me")
    answer = cell.locator(".msgbook-Text")
    expect(cell.locator("[data-status=done]")).to_be_visible()

    expect(answer.locator("mjx-container")).to_have_count(3)
    expect(answer).to_contain_text("it is $5 to $10 per month; apples cost $2, pears $3.")
    prices = answer.locator("td", has_text="12")
    assert prices.evaluate("node => getComputedStyle(node).textAlign").endswith("right")
    expect(answer.locator("td br")).to_have_count(1)
    expect(answer.locator("sub")).to_have_text("2")
    expect(answer.locator("kbd")).to_have_text("Enter")
    expect(answer.locator("sup")).to_have_text("[1]")
    expect(answer.get_by_text("By the source.")).to_be_visible()
    expect(answer.get_by_text("Hidden words.")).to_be_hidden()
    answer.locator("summary", has_text="More").click()
    expect(answer.get_by_text("Hidden words.")).to_be_visible()
    signs = answer.locator("pre span", has_text="old"), answer.locator("pre span", has_text="new")
    old, new = (sign.first.evaluate("node => getComputedStyle(node).color") for sign in signs)
    assert old != new
    lab.reveal(0, "start")
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    with lab.width(700):
        lab.reveal(0, "start")
        screenshot("narrow")
