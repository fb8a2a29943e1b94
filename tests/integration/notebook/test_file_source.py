"""The saved notebook as the past of a cell that no page shows, and what has run since."""

from __future__ import annotations

import nbformat
from kernel_client import KernelClient
from saved_chats import TURN
from scripted_server import text

from msgbook_format.turn import TURN_MIME


def test_a_kernel_that_was_restarted_goes_on_from_the_saved_notebook(server, tmp_path):
    """As a client without our page does: it names cells, and the server names the file."""
    server.answers = [text("Yours is Ada."), text("Two questions.")]
    path = tmp_path / "chat.ipynb"
    cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in ("aA", "bB", "cC")]
    cells[0]["outputs"] = [
        nbformat.v4.new_output("display_data", {TURN_MIME: TURN, "text/plain": ""})
    ]
    spec = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec}), path)
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "JPY_SESSION_NAME": str(path)}

    with KernelClient(settings, str(tmp_path)) as kernel:
        _, messages = kernel.finish(kernel.start("B", "b"))
        kernel.finish(kernel.start("C", "c"))

    shown = [m for m in messages if m["msg_type"] in ("display_data", "update_display_data")]
    context = shown[-1]["content"]["data"][TURN_MIME]["context"]
    assert (context["source"], context["cells"]) == ("file", 1)
    assert [m["content"] for m in server.messages()[1:]] == ["A", "1", "B", "Yours is Ada.", "C"]
