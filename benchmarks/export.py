"""What the export of a conversation as a page costs.

Baseline, in the same run and by turns: nbconvert's own HTML exporter on the same notebook, whose outputs
are plain Markdown, without turns. Times are processor seconds; medians of the rounds.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from typing import Any

from nbconvert.exporters import HTMLExporter
from notebooks import chat
from rows import row

from msgbook_format.exporters import MsgHTMLExporter, MsgMarkdownExporter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    book = chat(options.turns)
    plain = copy.deepcopy(book)
    for cell in plain.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "text/markdown" in data:
                output["data"] = {"text/markdown": data["text/markdown"]}
    times: dict[str, list[float]] = {"stock": [], "msghtml": [], "msgmarkdown": []}
    for _ in range(options.rounds):
        times["stock"].append(seconds(HTMLExporter(), plain))
        times["msghtml"].append(seconds(MsgHTMLExporter(), book))
        times["msgmarkdown"].append(seconds(MsgMarkdownExporter(), book))
    base, page, text = (statistics.median(found) for found in times.values())
    row(f"{options.turns:,} turns as a page", page / base, "x", 1.2)
    print(
        f"{options.turns:,} turns: stock html {base:.2f} s, msghtml {page:.2f} s: {page / base:.2f} x, "
        f"msgmarkdown {text:.2f} s: {text / base:.2f} x"
    )


def seconds(exporter: Any, book: Any) -> float:
    start = time.process_time()
    exporter.from_notebook_node(book)
    return time.process_time() - start


if __name__ == "__main__":
    main()
