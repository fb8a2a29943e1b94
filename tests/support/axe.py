"""Accessibility of a page as axe-core judges it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "labextension" / "node_modules" / "axe-core" / "axe.min.js"

OURS = "[class*='msgbook-']"
"""What msgbook draws; JupyterLab's own parts around it are not ours to mend."""


def violations(page: Page) -> list[str]:
    """Return the serious and critical violations in what msgbook draws, each as one line.

    The list of cells, its editors and the buttons of toolbars are JupyterLab's: of these only what they
    show is judged.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.add_script_tag(path=AXE)
    found: list[str] = page.evaluate(
        """async ours => {
            if (document.querySelector(ours) === null) {
                throw new Error('Nothing of msgbook is on the page.');
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
        OURS,
    )
    return found
