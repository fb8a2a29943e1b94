"""What the kernel logs is in its log, and not in the result of Python that runs meanwhile."""

from __future__ import annotations

import pytest
from kernel_client import KernelClient
from scripted_server import ScriptedServer, call, text

from msgbook_format.turn import TURN_MIME

CODE = """
import asyncio, logging, sys
from traitlets.config import Application

logged = asyncio.Event()

def log():
    Application.instance().log.error("of Jupyter")
    logging.getLogger("msgbook.display.failure").error("of msgbook: \\ud800")
    logging.getLogger("theirs").error("of the code")
    logged.set()

asyncio.get_running_loop().call_soon(log)
await logged.wait()
print("printed", file=sys.stderr)
"""


@pytest.mark.parametrize("watches_descriptors", [True, False])
def test_the_kernels_log_is_not_in_the_result_of_code(
    module_server: ScriptedServer, tmp_path, monkeypatch, watches_descriptors
):
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    settings["MSGBOOK_APPROVAL"] = "allow"
    if watches_descriptors:  # as ipykernel does but in tests
        monkeypatch.delenv("PYTEST_CURRENT_TEST")
    module_server.reset()
    module_server.answers = [call("python", {"code": CODE}), text("ok")]

    log = tmp_path / "log"
    with log.open("wb") as stderr, KernelClient(settings, str(tmp_path), stderr) as kernel:
        _, messages = kernel.run("hi", "a")

    kinds = {message["msg_type"] for message in messages}
    assert "stream" not in kinds
    bundles = [message["content"].get("data", {}) for message in messages]
    turn = next(bundle[TURN_MIME] for bundle in reversed(bundles) if TURN_MIME in bundle)
    [result] = [block for block in turn["blocks"] if block["type"] == "tool_result"]
    assert result["content"] == "of the code\nprinted\n"
    logged = log.read_text()
    assert "of Jupyter\n" in logged
    assert "of msgbook: \\ud800\n" in logged
