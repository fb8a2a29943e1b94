"""File tools in turns of a real kernel, and of an engine."""

from __future__ import annotations

from typing import Any

from file_turn import turn  # noqa: F401 - fixtures
from scripted_server import call, text

from msgbook.tools import CallContext, Tool


def results(blocks: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(b["status"], b["content"]) for b in blocks if b["type"] == "tool_result"]


def test_an_edit_is_done_where_all_is_allowed_and_denied_where_nobody_can_be_asked(
    server, turn, tmp_path
):
    (tmp_path / "a.txt").write_text("one\n")
    edit = call("edit", {"path": "a.txt", "old": "one", "new": "1"})

    server.answers = [edit, text("denied"), edit, text("done")]
    [(denied, _)] = results(turn())
    assert (tmp_path / "a.txt").read_text() == "one\n"

    [(done, diff)] = results(turn(approval="allow"))

    assert (denied, done) == ("denied", "success")
    assert diff == "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n"
    assert (tmp_path / "a.txt").read_text() == "1\n"


def test_the_model_reads_on_in_a_result_that_was_too_long(server, turn, tmp_path):
    def bind(context: CallContext):
        async def long() -> str:
            """Says much."""
            return "".join(f"line {n}\n" for n in range(1, 10_001))

        return long

    server.answers = [call("long", {}), text("so much")]
    [(_, shown)] = results(turn(Tool("long", bind)))
    [blob] = (tmp_path / ".msgbook" / "blobs").iterdir()

    path = f".msgbook/blobs/{blob.name}"
    server.reset()
    server.answers = [call("read", {"path": path, "start": 5000, "end": 5001}), text("ah")]
    [(status, lines)] = results(turn())

    assert f"the complete result is in {path}" in shown
    assert "line 5000\n" not in shown
    assert (status, lines) == ("success", "line 5000\nline 5001")


def test_an_image_is_sent_as_an_image(server, turn, tmp_path):
    (tmp_path / "dot.gif").write_bytes(b"GIF89a\1\0\1\0\0\0\0;")
    server.answers = [call("read", {"path": "dot.gif"}), text("a dot")]

    [(status, parts)] = results(turn())

    assert status == "success"
    assert parts[1]["image_url"]["url"].startswith("data:image/gif;base64,R0lGODlh")
