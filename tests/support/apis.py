"""Tests that run over all three APIs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

over_all_apis = pytest.mark.parametrize(
    "api", ["chat", "responses", "anthropic"], indirect=True, scope="module"
)
"""Marks a test, or as `pytestmark` a module, whose servers are asked over each of the three APIs."""


@contextmanager
def asking_over(api: str) -> Iterator[None]:
    """Ask the server of the environment over an API, in this process and those that it starts.

    It is the setting of a user without `MSGBOOK_CONFIG`: a test with a file of its own sets it there. The
    setting belongs to a server, so there always is one; a test names another.
    """
    if api == "chat":
        yield
        return
    path = Path(os.environ["JUPYTER_CONFIG_DIR"], "msgbook.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'[providers.openai]\napi = "{api}"\n', "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        yield
    path.unlink()
