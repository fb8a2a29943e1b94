"""Behind a kernel gateway: few variables, a folder of its own, and nothing of that is free."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from kernel_client import KernelClient

from msgbook.config import Settings
from msgbook.kernel.gateway import notices as gateway_notices
from msgbook_format.turn import TURN_MIME

SECRET = "of the gateway's own folder"


class GatewayClient(KernelClient):
    """Starts the kernel with the environment that Kernel Gateway gives it, which is not the test's."""

    def __enter__(self) -> GatewayClient:
        given = {"PATH": os.environ["PATH"], "KERNEL_GATEWAY": "1", "KERNEL_USERNAME": "me"}
        # Not the gateway's, but where tests keep what is the user's.
        given |= {n: os.environ[n] for n in os.environ if n.startswith(("JUPYTER_", "IPYTHON"))}
        self.manager.start_kernel(env={**given, **self._settings}, cwd=self._cwd)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=300)
        return self


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The gateway's folder and the notebook's."""
    gateway, notebook = tmp_path / "gateway", tmp_path / "notebook"
    gateway.mkdir()
    notebook.mkdir()
    (gateway / "a.txt").write_text(SECRET)
    (notebook / "b.txt").write_text("of the notebook")
    return gateway, notebook


def first_turn(folder: Path, **variables: str) -> dict[str, Any]:
    """The turn of the demo model, whose first call reads the folder."""
    with GatewayClient(variables, str(folder)) as kernel:
        _, messages = kernel.run("Read @[a.txt]")
    turns = [m["content"]["data"][TURN_MIME] for m in messages if "data" in m["content"]]
    last: dict[str, Any] = turns[-1]
    return last


def notices(turn: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in turn["blocks"] if block["type"] == "notice")


def result(turn: dict[str, Any]) -> dict[str, Any]:
    [found] = [block for block in turn["blocks"] if block["type"] == "tool_result"]
    return found


@pytest.mark.parametrize("named", [None, "/no/such/folder", "relative"])
def test_every_file_in_the_gateways_own_folder_needs_approval(folders, named):
    gateway, _ = folders
    variables = {} if named is None else {"KERNEL_WORKING_DIR": named}

    turn = first_turn(gateway, **variables)

    assert result(turn)["status"] == "denied"
    assert "KERNEL_WORKING_DIR" in notices(turn)
    assert SECRET not in str(turn)
    assert turn["context"].get("files", []) == []


def test_a_folder_that_is_a_link_to_itself_is_ignored(folders, tmp_path):
    (tmp_path / "loop").symlink_to("loop")

    turn = first_turn(folders[0], KERNEL_WORKING_DIR=str(tmp_path / "loop"))

    assert result(turn)["status"] == "denied"
    assert "names no folder on this machine" in notices(turn)


def test_the_notebooks_folder_is_used_if_the_gateway_knows_it(folders):
    gateway, notebook = folders

    turn = first_turn(gateway, KERNEL_WORKING_DIR=str(notebook))

    assert result(turn)["status"] == "success"
    assert result(turn)["content"] == "b.txt"
    assert "KERNEL_WORKING_DIR" not in notices(turn)


def test_the_demo_model_says_how_to_pass_settings_through_the_gateway(folders):
    turn = first_turn(folders[0])

    assert (
        "KG_ENV_PROCESS_WHITELIST=OPENAI_API_KEY,OPENAI_BASE_URL,ANTHROPIC_API_KEY,MSGBOOK_MODEL"
        in notices(turn)
    )


@pytest.mark.parametrize("gateway", ["Kernel Gateway", "Enterprise Gateway"])
def test_the_variable_that_the_documentation_sets_for_each_gateway_is_named(gateway, tmp_path):
    page = Path(__file__).parents[3].joinpath("docs", "jupyterhub.md").read_text("utf-8")
    section = page.partition(f"\n## {gateway}\n")[2].partition("\n## ")[0]
    setting = re.search(r"^export (\w+=OPENAI_API_KEY,\S+)$", section, re.MULTILINE)[1]

    [_, told] = gateway_notices({"KERNEL_GATEWAY": "1"}, Settings(), tmp_path)

    assert f"{gateway} with {setting}" in told


def test_the_folder_variable_counts_only_under_a_gateway(folders):
    _, notebook = folders
    with KernelClient({"KERNEL_WORKING_DIR": str(notebook)}, str(folders[0])) as kernel:
        _, messages = kernel.run("%%python\nimport os; print(os.getcwd())")

    printed = [m["content"]["text"] for m in messages if m["msg_type"] == "stream"]
    assert "".join(printed).strip() == str(folders[0])
