"""aimock, a model server that others wrote, as `make .model-servers/.installed` installs it.

It answers on both APIs from the same fixtures, which say what a request has to hold and what is
answered (https://aimock.copilotkit.dev/fixtures).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from processes import stop

FOLDER = Path(__file__).parents[2] / ".model-servers"
_SCRIPT = FOLDER / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"

needs_aimock = pytest.mark.skipif(
    not (FOLDER / ".installed").exists(), reason="make .model-servers/.installed installs it"
)


def on(words: str, response: dict[str, Any], /, **more: Any) -> dict[str, Any]:
    """A fixture for prompts that hold the words; `match_` begins what else has to fit."""
    match = {key.removeprefix("match_"): more.pop(key) for key in [*more] if "match_" in key}
    return {"match": {"userMessage": words, **match}, "response": response, **more}


@dataclass
class Aimock:
    """A running server."""

    origin: str
    key: str = ""
    """The key that it wants; empty for none."""

    @property
    def url(self) -> str:
        """The base URL of its APIs."""
        return f"{self.origin}/v1"

    def answers(self, *fixtures: dict[str, Any]) -> None:
        """Forget everything and answer by these fixtures; the first that fits is taken."""
        self._call("/reset", {})
        self._call("/fixtures", {"fixtures": fixtures})

    def requests(self) -> list[dict[str, Any]]:
        """Return the requests for an answer since then, as it understood them.

        Their `body` is in the form of the chat API whatever the API was: `path` tells it.
        """
        entries: list[dict[str, Any]] = self._call("/journal?method=POST")
        return entries

    def _call(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(f"{self.origin}/__aimock{path}", data, headers)
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)


@contextmanager
def aimock(key: str = "") -> Iterator[Aimock]:
    """Start a server on a free port; it ends with the context.

    Args:
        key: The key that it wants; empty for none.
    """
    process = subprocess.Popen(
        [str(shutil.which("node")), str(_SCRIPT), "--port", "0", "--fixtures", os.devnull],
        env={**os.environ, **({"AIMOCK_API_KEYS": key} if key else {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        try:
            yield Aimock(_origin(process), key)
        finally:
            stop(process)


def _origin(process: subprocess.Popen[str]) -> str:
    """Return the address that a starting server says it listens on."""
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"listening on (http://127\.0\.0\.1:\d+)", line)
        if found:
            return found[1]
    raise RuntimeError("aimock did not start")
