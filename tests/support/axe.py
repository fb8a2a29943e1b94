"""Accessibility of a page as axe-core judges it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lab import Lab
from playwright.sync_api import Page, expect

AXE = Path(__file__).parents[2] / "labextension" / "node_modules" / "axe-core" / "axe.min.js"

OURS = "[class*='msgbook-']"
"""What msgbook draws; JupyterLab's own parts around it are not ours to mend."""


THEMES = [
    "JupyterLab Light",
    "JupyterLab Dark",
    "JupyterLab Dark High Contrast",
]


def use_theme(lab: Lab, theme: str) -> None:
    lab.command("apputils:change-theme", theme=theme)
    expect(lab.page.locator("body")).to_have_attribute("data-jp-theme-name", theme)
    expect(lab.page.locator("#jupyterlab-splash")).to_have_count(0)


def all_violations(
    lab: Lab, screenshot: Callable[[str], None], state: str, within: str = OURS
) -> list[str]:
    """What axe-core finds in each theme, of which a picture is kept."""
    found = []
    for theme in THEMES:
        use_theme(lab, theme)
        found += [f"{theme}: {line}" for line in violations(lab.page, within)]
        screenshot(f"{state}-{theme.removeprefix('JupyterLab ').replace(' ', '-')}")
    use_theme(lab, THEMES[0])
    return found


def violations(page: Page, within: str = OURS) -> list[str]:
    """Return the serious and critical violations in what msgbook draws, each as one line.

    The list of cells, its editors and the buttons of toolbars are JupyterLab's: of these only what they
    show is judged.

    Args:
        within: Selector of what is judged.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.add_script_tag(path=AXE)
    found: list[str] = page.evaluate(
        """async ours => {
            if (document.querySelector(ours) === null) {
                throw new Error('Nothing is there to be judged.');
            }
            const { violations } = await window.axe.run({ include: [ours] }, {
                elementRef: true,
                resultTypes: ['violations'],
                rules: { region: { enabled: false } },
            });
            return violations
                .filter(({ impact }) => impact === 'serious' || impact === 'critical')
                .flatMap(({ id, nodes }) => nodes
                    .filter(({ element }) => id === 'color-contrast' || !element.matches('.cm-editor *, [role=feed], jp-button'))
                    .map(({ html, any, all }) =>
                        `${id}: ${html.slice(0, 150)}: ${[...any, ...all].map(c => c.message).join('; ')}`));
        }""",
        within,
    )
    return found
