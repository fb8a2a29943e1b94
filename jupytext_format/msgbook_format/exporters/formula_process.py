r"""Formulas as MathML, written by a library in a process of its own, which ends if one takes too long.

The library reads a row again for each opening bracket in it that is not closed: 40 of them take hours, and
nothing can interrupt it. What else takes it long, or brings it down, nobody knows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer

import math_core

CPU_SECONDS = 0.25
"""Time of the processor that a formula may take. A long one takes a twentieth of that."""
SECONDS = 20.0
"""Time that a formula may take where the system has no limit for the processor (Windows)."""
MOST_ENDS = 8
"""Formulas of one page that may end the process. After that, none of the page is written."""

_SERVE = """
import json, signal, sys
folder, macros, seconds = json.loads(sys.argv[1])
sys.path.append(folder)
from math_core import LatexError, LatexToMathML
converter = LatexToMathML(macros=macros, fancy_error=False, allow_unreliable_rendering=True)
limit = getattr(signal, "setitimer", lambda *_: None)
print(flush=True)
for line in sys.stdin:
    tex, block = json.loads(line)
    limit(getattr(signal, "ITIMER_VIRTUAL", 0), seconds)
    try:
        written = converter.convert_with_local_state(tex, displaystyle=block)
    except (LatexError, ValueError):
        written = None
    limit(getattr(signal, "ITIMER_VIRTUAL", 0), 0)
    print(json.dumps(written), flush=True)
"""


class FormulaError(ValueError):
    """A formula that cannot be written as MathML."""


class FormulaProcess:
    """Writes formulas as MathML. Any thread may ask, one after the other.

    Args:
        macros: Commands that the library does not have.
    """

    def __init__(self, macros: Mapping[str, str]) -> None:
        folder = str(Path(math_core.__file__).resolve().parent.parent)
        self._arguments = json.dumps([folder, dict(macros), CPU_SECONDS])
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._ends = 0

    def begin_page(self) -> None:
        """Forget which formulas of other pages have ended the process."""
        self._ends = 0

    def mathml(self, tex: str, *, block: bool) -> str:
        """Return a formula as MathML.

        Raises:
            FormulaError: The library cannot read it, or not in time.
        """
        with self._lock:
            if self._ends >= MOST_ENDS:
                raise FormulaError("too many formulas of this page took too long")
            answer = self._ask(json.dumps([tex, block]).encode() + b"\n")
        written: str | None = json.loads(answer)
        if written is None:
            raise FormulaError("the library cannot read it")
        return written

    def close(self) -> None:
        """End the process; the next formula starts another one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, request: bytes) -> bytes:
        try:
            with suppress(OSError):  # it has ended, or cannot be started
                self._process = self._process or self._started()
                self._write(self._process, request)
                if (answer := _line(self._process)).endswith(b"\n"):
                    return answer
            self._ends += 1
            raise FormulaError("it took too long")
        except (
            BaseException
        ):  # also an interrupt: its answer would be taken for that to the next formula
            self.close()
            raise

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", _SERVE, self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
        )
        _line(process)
        return process

    @staticmethod
    def _write(process: subprocess.Popen[bytes], request: bytes) -> None:
        assert process.stdin is not None  # noqa: S101 - asked for above
        process.stdin.write(request)
        process.stdin.flush()


def _line(process: subprocess.Popen[bytes]) -> bytes:
    """Return the next line of a process; what there is of it if the process ends."""
    assert process.stdout is not None  # noqa: S101 - asked for above
    timer = Timer(SECONDS, process.kill)
    timer.start()
    try:
        return process.stdout.readline()
    finally:
        timer.cancel()
