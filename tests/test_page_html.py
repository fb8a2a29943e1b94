"""Where the page reads or sets HTML as a text: a list, so that a new place is a decision."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "labextension" / "src"
HTML = re.compile(
    r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|dangerouslySetInnerHTML|srcdoc)\b"
    r"|\bdocument\.write|\bcreateContextualFragment\b"
)

PLACES = {
    # Shows what `strictHtml` made.
    "rich/displayView.ts": ["node.innerHTML = html;"],
    # Reads what `strictHtml` is given, and fills a frame that runs and reaches nothing.
    "safe/safeHtml.ts": [
        "return { html: strictHtml(parsed.innerHTML), isReduced };",
        "const DROPPED = /^(?:srcdoc|target|shadowroot.*|http-equiv|on.*)$/;",
        "const written = body.innerHTML;",
        'frame.srcdoc = `${DOCTYPE}<meta http-equiv="Content-Security-Policy" content="${POLICY}"><body>${staticHtml(source)}`;',
    ],
    # Reads nodes that it has made itself.
    "safe/strictHtml.ts": ["return clean.body.innerHTML;"],
}


def test_html_is_read_and_set_only_where_it_is_said_to_be_safe():
    found = {}
    for path in sorted(SOURCES.rglob("*.ts*")):
        name = path.relative_to(SOURCES).as_posix()
        lines = [line.strip() for line in path.read_text("utf-8").splitlines() if HTML.search(line)]
        if lines and not name.startswith("__tests__/"):
            found[name] = lines

    assert found == PLACES
