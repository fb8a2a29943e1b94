"""llama.cpp's server with a tiny model, as `make .local-models/.installed` installs and writes them."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import free_port, stop, until_listening

FOLDER = Path(__file__).parents[2] / ".local-models"
MODEL = "tiny.gguf"
_PYTHON = FOLDER / "llama" / "bin" / "python"
_PROGRAM = Path(__file__).with_name("llama_program.py")


@dataclass
class Llama:
    """A running server."""

    origin: str

    @property
    def url(self) -> str:
        """The base URL of its APIs."""
        return f"{self.origin}/v1"

    def is_busy(self) -> bool:
        """Return whether it is making an answer."""
        with urllib.request.urlopen(f"{self.origin}/slots", timeout=300) as answer:
            slots: list[dict[str, Any]] = json.load(answer)
        return any(slot["is_processing"] for slot in slots)


@contextmanager
def llama(*, is_loaded: bool = True, **options: Any) -> Iterator[Llama]:
    """Start a server on a free port; it ends with the context.

    Args:
        is_loaded: Whether to wait until it has loaded its model.
        options: Parameters of llama.cpp, as `llama_program.py` takes them.
    """
    port = free_port()
    process = subprocess.Popen(
        [_PYTHON, _PROGRAM, MODEL, str(port), json.dumps(options)],
        cwd=FOLDER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            if is_loaded:
                _wait(process)
            else:
                until_listening(process, port)
            yield Llama(f"http://127.0.0.1:{port}")
        finally:
            stop(process)


def _wait(process: subprocess.Popen[str]) -> None:
    """Wait until a server says that its model is loaded."""
    assert process.stdout is not None
    if not any(line.startswith("ready") for line in process.stdout):
        raise RuntimeError("llama.cpp's server did not start")
