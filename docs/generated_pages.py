"""Makes the reference pages that come from the code: options, settings, turn JSON, Python."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path

from msgbook.__main__ import VERBS
from msgbook.config import load
from msgbook.config.file import PRICE_KEYS, PROVIDER_KEYS, TABLE_KEYS, TOP_KEYS
from msgbook.config.settings import Limits

ROOT = Path(__file__).parents[1]

OUTSIDE = {
    "SECURITY.md": "security",
    "CHANGELOG.md": "changelog",
    "tests/format/conformance/README.md": "conformance",
    "benchmarks/README.md": "benchmarks",
}
"""Files outside docs/ that the manual shows, and the names of their pages."""

API = """# Python

What programs can rely on. [Plug-ins](../plugins.md) lists the names for tools and providers.

## msgbook_format

```{eval-rst}
.. automodule:: msgbook_format
   :members:
```

## Findings of check

```{eval-rst}
.. autoclass:: msgbook_format.finding.Finding
   :members:
```

## msgbook_format.turn

```{eval-rst}
.. automodule:: msgbook_format.turn
   :members: turn_of, answer_text, blocks_of_type, match_results, step_positions

.. autofunction:: msgbook_format.turn.to_markdown
.. autofunction:: msgbook_format.turn.to_plain
.. autofunction:: msgbook_format.turn.safe_markdown
```
"""

TURN = """# Turn JSON

A turn is saved as one output of its cell, with the MIME type `application/vnd.msgbook.turn+json`. These are its keys, as the
code declares them. [The format](../format.md) says how they are written as text.

```{eval-rst}
.. automodule:: msgbook_format.turn.model
   :members:
   :undoc-members:
   :exclude-members: TURN_MIME, TURN_VERSION
```
"""


def write_pages(folder: Path) -> None:
    """Write all pages into a folder. A page that has not changed is left as it is."""
    folder.mkdir(exist_ok=True)
    pages = {
        "options": options_page(),
        "settings": settings_page(),
        "turn": TURN,
        "python": API,
        **{page: outside_page(path) for path, page in OUTSIDE.items()},
    }
    for name, text in pages.items():
        file = folder / f"{name}.md"
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")


def menus(index: str, generated: Mapping[str, Iterable[str]]) -> str:
    """Return a toctree for each section of docs/index.md, from the links of its list.

    Args:
        generated: Further entries, by the heading of the section.
    """
    parts = []
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        heading = section.partition("\n")[0]
        listed = re.findall(r"^- \[.+?\]\((.+?)\.md\)", section, re.MULTILINE)
        entries = "\n".join([*listed, *generated.get(heading, ())])
        parts.append(f"\n```{{toctree}}\n:caption: {heading}\n:hidden:\n\n{entries}\n```\n")
    return "".join(parts)


def outside_page(path: str) -> str:
    """Return a file outside docs/ with links that hold in the manual."""
    text = (ROOT / path).read_text("utf-8")
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    for other, page in OUTSIDE.items():
        text = text.replace(f"]({other}", f"]({page}.md")
    return re.sub(r"\]\((?:\.\./)*docs/", "](../", text)


def options_page() -> str:
    """Return the page with each verb's arguments."""
    parts = ["# Options of the commands\n\n[Commands](../commands.md) says what each verb does.\n"]
    for verb in VERBS:
        parser = argparse.ArgumentParser(f"msgbook {verb.name}", add_help=False)
        verb.declare(parser)
        usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
        about = parser.description or f"{verb.help[0].upper()}{verb.help[1:]}."
        parts.append(f"## msgbook {verb.name}\n\n{_escaped(about)}\n\n```text\n{usage}\n```\n")
        parts.append(_table(["argument", "meaning"], _arguments(parser)))
    return "\n".join(parts)


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        name = ", ".join(action.option_strings) or str(action.metavar or action.dest)
        takes = action.option_strings and action.nargs != 0
        value = f" {action.metavar or action.dest.upper()}" if takes else ""
        meaning = (action.help or "") % {**vars(action), "prog": parser.prog}
        yield f"`{name}{value}`", _escaped(meaning)


def settings_page() -> str:
    """Return the page with the keys of `msgbook.toml`."""
    limits = Limits()
    defaults = [(f"`{f.name}`", f"`{getattr(limits, f.name)}`") for f in fields(Limits)]
    servers = [(f"`{key}`", expected) for key, (expected, _) in load.KEYS.items()]
    return "\n".join(
        [
            "# Keys of msgbook.toml\n\n[Settings](../configuration.md) explains them.\n",
            _list("Tables and keys", TOP_KEYS),
            _list("`[providers.NAME]`", PROVIDER_KEYS),
            _list("`[providers.NAME.prices]`, for each model", PRICE_KEYS),
            _list("`[approval]`", TABLE_KEYS["approval"]),
            _list("`[plugins]`", TABLE_KEYS["plugins"]),
            "## `[limits]`\n\n`None` is no limit.\n",
            _table(["key", "default"], defaults),
            "## `[mcp_servers.NAME]`\n",
            _table(["key", "value"], servers),
        ]
    )


def _list(heading: str, keys: Iterable[str]) -> str:
    return f"## {heading}\n\n" + ", ".join(f"`{key}`" for key in sorted(keys)) + "\n"


def _table(head: list[str], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    written = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return written if len(lines) > 2 or rows else ""


def _escaped(text: str) -> str:
    return re.sub(r"([\\*_<>|`\[\]])", r"\\\1", text)
