"""docs/references.md: its macros and conditions decide what a request says."""

from __future__ import annotations

from pathlib import Path

from fences import Fence
from scripted_server import ScriptedServer
from talk import Talk, content_reference


def test_the_macro_and_the_condition_decide_what_is_sent(
    fences: list[Fence], server: ScriptedServer, tmp_path: Path
) -> None:
    message, condition = (fence.body for fence in fences)
    talk = Talk(server, tmp_path)
    (tmp_path / "plan.md").write_text("See {{city}}.")
    (tmp_path / "AGENTS.md").write_text(condition)

    talk.ask("Hello.")
    talk.ask(message)

    before, _, sent = talk.sent()[-3:]
    assert content_reference(before)["rules"][0]["content"].strip() == "sent if not"
    assert sent["content"].startswith(message.rstrip("\n"))
    found = content_reference(sent)
    assert found["files"] == {"plan.md": "See Rome."}
    assert found["rules"][0]["content"].strip() == "sent if city is defined"
