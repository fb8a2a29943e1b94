"""docs/tutorial.md: what is typed works with the demo model and brings what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from fences import Fence

from msgbook.__main__ import main
from msgbook.host import sample
from msgbook_format import reads


def test_the_message_of_the_notebook_is_the_one_of_the_demo(fences: list[Fence]) -> None:
    (fence,) = fences

    assert fence.body.rstrip("\n") in [cell.source for cell in reads(sample("rain.msg.md")).cells]


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
