"""A stand-in for ripgrep: looks into every file below the current folder, whatever it is told.

It leaves out nothing that the caller asks it to leave out, so that the caller has to.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any


def install(folder: Path, before: str = "") -> str:
    """Write the program into a folder; returns its path.

    Args:
        before: Python that runs before the search, which then follows links: it stands for what
            others do to the folder meanwhile.
    """
    program = folder / "rg"
    program.write_text(
        f"#!{sys.executable}\n"
        f"import sys; sys.path.append({str(Path(__file__).parent)!r})\n"
        f"import fake_ripgrep\n{before}\nfake_ripgrep.main({bool(before)})\n"
    )
    program.chmod(stat.S_IRWXU)
    return str(program)


def main(follow: bool) -> None:
    pattern = next(a for a in sys.argv if a.startswith("--regexp=")).removeprefix("--regexp=")
    for folder, _, names in os.walk(".", followlinks=follow):
        for name in sorted(names):
            _search(f"{folder}/{name}", re.compile(pattern.encode()))
    _say("summary", {})


def _search(path: str, pattern: re.Pattern[bytes]) -> None:
    try:
        lines = Path(path).read_bytes().splitlines(keepends=True)
    except OSError:
        return
    _say("begin", {"path": {"text": path}})
    for number, line in enumerate(lines, 1):
        if pattern.search(line):
            data = {"bytes": base64.b64encode(line).decode()}
            with contextlib.suppress(UnicodeDecodeError):
                data = {"text": line.decode()}
            _say("match", {"path": {"text": path}, "lines": data, "line_number": number})
    _say("end", {"path": {"text": path}})


def _say(kind: str, data: dict[str, Any]) -> None:
    print(json.dumps({"type": kind, "data": data}), flush=True)
