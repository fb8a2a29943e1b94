"""Text around the code of a message file: folded above and below the cell's code."""

from __future__ import annotations

from page_attack import ATTACK
from playwright.sync_api import expect
from scripted_server import text

CODE = """\
# %% [^sum]

[^sum]: [code]

I want to know **how many** there are.

```python
print(1 + 1)
```

There should be *two*.

# %% [^q]

[^q]: [markdown]

How many are there?
"""


def test_text_around_code_is_folded_and_stays_while_the_code_is_edited_and_run(
    lab, lab_root, model_server, screenshot
):
    (lab_root / "prose.msg.md").write_text(CODE)
    model_server.answers = [text("Three.")]
    lab.open("prose.msg.md")
    lab.wait_for_kernel()
    before, after = (
        lab.cell(0).locator(f".msgbook-Prose.msgbook-mod-{x}") for x in ("before", "after")
    )
    expect(before).to_contain_text("Text before the code")
    expect(before.locator("strong")).to_have_count(0)
    screenshot("folded")

    before.locator("summary").click()
    after.locator("summary").click()
    expect(before.locator("strong")).to_have_text("how many")
    expect(after.locator("em")).to_have_text("two")
    lab.type_in(0, "%%python\nprint(1 + 2)")
    lab.run(0)
    expect(lab.cell(0).locator(".jp-OutputArea-output")).to_have_text("3")
    expect(before.locator("strong")).to_be_visible()
    assert before.bounding_box()["y"] < lab.cell(0).locator(".cm-content").bounding_box()["y"]
    assert after.bounding_box()["y"] < lab.cell(0).locator(".jp-OutputArea").bounding_box()["y"]
    screenshot("open")

    lab.run(1)
    expect(lab.cell(1).locator(".msgbook-Text")).to_contain_text("Three.")
    sent = str(model_server.requests[0]["messages"])
    assert "print(1 + 2)" in sent
    assert "how many" not in sent
    lab.save()
    saved = (lab_root / "prose.msg.md").read_text()
    assert (
        "I want to know **how many** there are.\n\n```python\nprint(1 + 2)\n```\n\nThere" in saved
    )


def test_the_text_goes_with_its_metadata_and_comes_with_a_new_cell(lab, lab_root):
    (lab_root / "gone.msg.md").write_text(CODE)
    lab.open("gone.msg.md")
    prose = lab.notebook.locator(".msgbook-Prose")
    expect(prose).to_have_count(2)

    lab.cell(0).locator(".jp-InputPrompt").click()
    lab.command("notebook:copy-cell")
    lab.command("notebook:paste-cell-below")
    expect(prose).to_have_count(4)
    lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets[0]"
        ".model.setMetadata('msgbook', {after: 'Another text.'})"
    )
    expect(lab.cell(0).locator(".msgbook-Prose")).to_have_count(1)
    expect(lab.cell(0).locator(".msgbook-Prose")).to_contain_text("Another text.")
    lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets[0]"
        ".model.deleteMetadata('msgbook')"
    )
    expect(prose).to_have_count(2)


def test_hostile_text_around_code_runs_and_loads_nothing(lab, lab_root):
    attack = ATTACK.replace("\n[r]:", "\n\n[r]:")
    (lab_root / "evil.msg.md").write_text(
        f"# %% [^a]\n\n[^a]: [code]\n\n{attack}\n\n```python\n1\n```\n\n{attack}\n"
    )
    lab.open("evil.msg.md")
    summaries = lab.cell(0).locator(".msgbook-Prose > summary")
    expect(summaries).to_have_count(2)
    summaries.nth(0).click()
    summaries.nth(1).click()

    shown = lab.cell(0).locator(".msgbook-Prose").get_by_text("The end of the attack.")
    expect(shown).to_have_count(2)
    assert lab.page.evaluate("() => window.hacked") is None
    assert lab.requests == []
    assert (
        lab.cell(0).locator(".msgbook-Prose-body").locator("script, iframe, img, style").count()
        == 0
    )


def test_cells_that_are_far_down_show_their_text_when_they_are_reached(lab, lab_root):
    cells = [CODE.replace("[^sum]", f"[^s{i}]").replace("[^q]", f"[^q{i}]") for i in range(100)]
    (lab_root / "long.msg.md").write_text("\n".join(cells))
    lab.open("long.msg.md")
    expect(lab.cell(0).locator(".msgbook-Prose")).to_have_count(2)

    lab.command("notebook:move-cursor-down")
    lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.scrollToItem(198, 'center')"
    )

    last = lab.notebook.locator(".jp-Notebook-cell[data-windowed-list-index='198']")
    expect(last.locator(".msgbook-Prose")).to_have_count(2)
    last.locator(".msgbook-Prose > summary").first.click()
    expect(last.locator(".msgbook-Prose strong")).to_have_text("how many")
