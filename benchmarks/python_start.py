"""Time that `msgbook_autoload.pth` adds to every start of Python.

Goal: less than half a millisecond, which is 1.07 of a bare start. Starts with and without the file
alternate in an environment that holds nothing else, so that a slower machine slows both. Printed are
the medians and the least processor times, and the time of the file's line alone.

Usage: python benchmarks/python_start.py [RUNS]
"""

from __future__ import annotations

import compileall
import os
import shutil
import statistics
import sys
import tempfile
import time
import venv
from pathlib import Path

from rows import row

FORMAT = Path(__file__).parent.parent / "jupytext_format"
FILES = ("msgbook_autoload.pth", "msgbook_autoload.py")


def make_environment(folder: Path, *, armed: bool) -> Path:
    """Make an environment with or without the two files; return its Python."""
    venv.create(folder, with_pip=False)
    packages = next(folder.glob("lib/python3*/site-packages"))
    for name in FILES if armed else ():
        shutil.copy(FORMAT / name, packages)
    # As pip does.
    compileall.compile_dir(packages, quiet=1)
    return folder / "bin" / "python"


def milliseconds_to_start(python: Path) -> float:
    """Return the processor time of a start; other programs change it less than the clock's."""
    process = os.posix_spawn(python, [str(python), "-c", "pass"], os.environ)
    _, status, used = os.wait4(process, 0)
    if status != 0:
        raise SystemExit(f"{python} did not start")
    return (used.ru_utime + used.ru_stime) * 1000


def milliseconds_to_arm() -> float:
    """Return the time of the file's line in this process, the import of its module included."""
    line = (FORMAT / FILES[0]).read_text()
    sys.path.append(str(FORMAT))
    taken = []
    for _ in range(200):
        sys.modules.pop("msgbook_autoload", None)
        began = time.perf_counter()
        exec(line, {})
        taken.append((time.perf_counter() - began) * 1000)
        del sys.meta_path[0]
    return statistics.median(taken)


def main(runs: int) -> None:
    os.environ.pop("MSGBOOK_NO_AUTOLOAD", None)
    taken: list[list[float]] = [[], []]
    with tempfile.TemporaryDirectory() as folder:
        pythons = [make_environment(Path(folder, str(n)), armed=n == 1) for n in range(2)]
        for _ in range(runs):
            for python, times in zip(pythons, taken, strict=True):
                times.append(milliseconds_to_start(python))
    for name, summary in (("median", statistics.median), ("least", min)):
        plain, armed = map(summary, taken)
        print(f"{name:6} {plain:.2f} ms without, {armed:.2f} ms with: {armed - plain:+.2f} ms")
        row(f"a start of Python with the file, {name}", armed / plain, "x", 1.07)
    print(f"the file's line alone: {milliseconds_to_arm():.3f} ms (goal of all: < 0.5 ms)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
