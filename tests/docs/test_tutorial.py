"""docs/tutorial.md: what is typed works with the demo model and brings what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from fences import Fence

from msgbook.__main__ import main


def test_the_demo_model_answers_what_is_typed_in_jupyterlab(
    fences: list[Fence],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MSGBOOK_APPROVAL", "allow")
    chat = str(tmp_path / "first.msg.md")
    said = []
    for fence in fences:
        assert main(["chat", chat, "--force", fence.body.rstrip("\n")]) == 0
        said.append(capsys.readouterr().out)

    greeting, count, report = said
    assert greeting.startswith("Hello! I am the **demo model**")
    assert "**2 messages of yours**" in count
    assert "The first begins: “What can you do”" in count
    assert report.startswith("**My sub-agents have reported: 2.**")
