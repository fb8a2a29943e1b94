"""docs/many-chats.md: its commands do what it says, and its table is the one that a run prints."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import get_args

from msgbook.extras.many.folder import Progress
from msgbook.extras.many.job import FileResult, Status

DOCS = Path(__file__).parents[2] / "docs"


class Terminal(io.StringIO):
    """Keeps what is written as on a terminal."""

    def isatty(self):
        return True


def test_the_bar_is_the_one_of_a_run(fences):
    (bar,) = fences
    terminal = Terminal()
    progress = Progress(12, terminal)

    progress.turns_ended(9)
    for number in range(4):
        progress.file_ended(FileResult(Path(f"{number}.msg.md"), "done"))
    progress.show_waits({"cloud": 22.5})

    drawn = terminal.getvalue().rpartition("\x1b[K")[2]
    assert re.sub(r"\d+:\d\d", "1:07", drawn) == bar.body.rstrip("\n")


def test_each_status_of_the_table_is_explained():
    page = (DOCS / "commands.md").read_text("utf-8")
    explained = re.findall(
        r"^\| `([a-z ]+)` \|", page.partition("| status | |")[2].split("\n\n")[0], re.MULTILINE
    )

    assert sorted([*explained, "other"]) == sorted(get_args(Status))
