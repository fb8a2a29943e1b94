"""In a kernel with a page, the cells above bring what they refer to, in this session and in the next."""

from __future__ import annotations

import shutil
from typing import Any

from kernel_client import FakePage, KernelClient
from scripted_server import text
from talk import content_reference

from msgbook_format.turn import TURN_MIME


def cell(cell_id: str, source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": cell_id,
        "cell_type": "code",
        "source": source,
        "metadata": {},
        "outputs": list(outputs),
    }


def run(kernel: KernelClient, page: FakePage, cell_id: str, source: str) -> list[dict[str, Any]]:
    """Run a new cell at the end; what it put out."""
    page.cells.append(cell(cell_id, source))
    _, messages = kernel.finish(kernel.start(source, cell_id), page.take)
    return messages


def keep_turn(page: FakePage, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Write the turn into its cell, as a page does when it ends; the turn."""
    shown = [m for m in messages if m["msg_type"] in ("display_data", "update_display_data")]
    turn: dict[str, Any] = shown[-1]["content"]["data"][TURN_MIME]
    output = {"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: turn}}
    page.cells[-1]["outputs"] = [output]
    return turn


def test_a_cell_written_by_hand_brings_its_file_in_this_session_and_the_next(server, tmp_path):
    server.answers = [text("Yes.")]
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    (tmp_path / "a.txt").write_text("as it is")
    (tmp_path / ".env").write_text("PASSWORD=1")
    blobs = tmp_path / ".msgbook" / "blobs"
    cells = [cell("hand", "See @[a.txt] and @[.env].")]

    with KernelClient(settings, str(tmp_path)) as kernel:
        page = FakePage(kernel, cells)
        listed = str(run(kernel, page, "magic", "%context full"))
        assert "as it is" in listed
        assert not blobs.exists()
        assert server.requests == []
        turn = keep_turn(page, run(kernel, page, "one", "And?"))
        first = server.messages()

    assert content_reference(first[1])["files"] == {"a.txt": "as it is"}
    assert list(turn["context"]["above"]) == ["hand"]
    [warning, notice] = [block["text"] for block in turn["blocks"] if block["type"] == "notice"]
    assert "@[.env] is not sent: reading it needs approval" in warning
    assert "cell 1 (See @[a.txt] and @[.env].): a.txt" in notice
    assert [path.read_text() for path in blobs.iterdir()] == ["as it is"]

    shutil.rmtree(blobs)
    with KernelClient(settings, str(tmp_path)) as kernel:
        page = FakePage(kernel, cells)
        turn = keep_turn(page, run(kernel, page, "two", "And now?"))
        assert server.messages()[: len(first)] == first
        assert [block["type"] for block in turn["blocks"]] == ["text"]
        (tmp_path / "a.txt").write_text("changed")
        turn = keep_turn(page, run(kernel, page, "three", "Again?"))
        assert server.messages()[: len(first)] == first
        told = "These files have changed since they were sent: a.txt (cell 1)."
        assert told in turn["blocks"][0]["text"]
        turn = keep_turn(page, run(kernel, page, "four", "And again?"))
        assert [block["type"] for block in turn["blocks"]] == ["text"]
    assert "PASSWORD" not in str(server.requests)
