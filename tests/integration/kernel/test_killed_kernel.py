"""A kernel that is killed in mid-turn loses nothing: the next one of the notebook has what had arrived."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
from chats import write_notebook
from kernel_client import FakePage, KernelClient
from scripted_server import Answer, ScriptedServer, delta


def test_what_had_arrived_is_sent_by_the_next_kernel_until_a_page_has_saved_it(
    tmp_path: Path, module_server: ScriptedServer
) -> None:
    module_server.answers = [Answer([delta(content="half an answer")], hold=1)]
    path = tmp_path / "chat.ipynb"
    write_notebook(path, "hi")
    settings = {
        "OPENAI_BASE_URL": module_server.url,
        "MSGBOOK_MODEL": "scripted-model",
        "JPY_SESSION_NAME": str(path),
    }
    cell = {"id": "a", "cell_type": "code", "source": "hi", "metadata": {}, "outputs": []}
    with KernelClient(settings, str(tmp_path)) as kernel:
        page = FakePage(kernel, [cell])
        kernel.start("hi", "a")
        while "half an answer" not in str(page.turns):
            page.take(kernel.client.get_iopub_msg(timeout=300))
        # The state is written by a thread, at most half a second later.
        kept = Path(os.environ["JUPYTER_DATA_DIR"]) / "msgbook" / "turns"
        while not any("half an answer" in file.read_text() for file in kept.glob("*/*.json")):
            page.say(type="turn.get", request_id="again", cell_id="a")
            page.wait_for("turn")
        process = psutil.Process(kernel.manager.provisioner.process.pid)
        process.kill()
        process.wait(300)

    for is_saved in (False, True):
        with KernelClient(settings, str(tmp_path)) as kernel:
            page = FakePage(kernel, [cell])
            told = page.wait_for("turn")
            assert (told["cell_id"], told["recovered"]) == ("a", True)
            assert told["turn"]["status"] == "interrupted"
            assert told["turn"]["blocks"][-1]["text"] == "half an answer"
            if is_saved:
                page.say(type="turn.seen", display_id=told["display_id"])
                kernel.run("%help", "b")
    with KernelClient(settings, str(tmp_path)) as kernel:
        page = FakePage(kernel, [cell])
        page.say(type="turn.get", request_id="1", cell_id="a")
        assert page.wait_for("turn")["turn"] is None
