"""`Python + Chat` and clients that know nothing of msgbook: what VS Code sends, and what is odd or missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
import pytest
from kernel_client import KernelClient, Message
from nbformat import v4
from scripted_server import ScriptedServer, call, text

from msgbook_format.syntax import CODE_FIRST_KERNELSPEC
from msgbook_format.turn import TURN_MIME

NAME = "msgbook-python"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module")
def running(module_server: ScriptedServer, folder: Path) -> Iterator[KernelClient]:
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(folder), name=NAME) as client:
        yield client


@pytest.fixture
def kernel(running: KernelClient, module_server: ScriptedServer) -> KernelClient:
    module_server.reset()
    module_server.choose = None
    module_server.answers = [text("Yes.")]
    running.forget()
    return running


@pytest.fixture
def server(module_server: ScriptedServer) -> ScriptedServer:
    return module_server


def send(
    kernel: KernelClient, code: str, metadata: dict[str, Any], **content: Any
) -> tuple[Message, list[Message]]:
    """Run a cell with just this metadata in its request."""
    return kernel.finish(ask(kernel, code, metadata, **content))


def ask(kernel: KernelClient, code: str, metadata: dict[str, Any], **content: Any) -> str:
    """Send the request alone: its id."""
    fields = {"code": code, "silent": False, "store_history": True, "allow_stdin": True}
    fields |= {"stop_on_error": False, "user_expressions": {}, **content}
    request = kernel.client.session.msg("execute_request", fields, metadata=metadata)
    kernel.client.shell_channel.send(request)
    request_id: str = request["header"]["msg_id"]
    return request_id


def sent(server: ScriptedServer) -> list[str]:
    return [m["content"] for m in server.messages()][1:]


class VSCode:
    """VS Code with a notebook that is saved before each run; it opens no comm of ours, and draws with updates.

    Its request for a cell holds the URI of the cell's document and all of the cell's metadata.
    """

    def __init__(self, kernel: KernelClient, path: Path, *sources: str) -> None:
        self._kernel, self._path = kernel, path
        self.notebook = v4.new_notebook(metadata={"kernelspec": CODE_FIRST_KERNELSPEC})
        self.notebook.cells = [v4.new_code_cell(source) for source in sources]

    def run(self, position: int) -> Message:
        cell = self.notebook.cells[position]
        cell.outputs = []
        nbformat.write(self.notebook, self._path)
        uri = f"vscode-notebook-cell:{quote(str(self._path))}#W{position}sZmlsZQ%3D%3D"
        reply, messages = send(self._kernel, cell.source, {"cellId": uri, **cell.metadata})
        for message in messages:
            if message["msg_type"] in ("display_data", "execute_result", "stream", "error"):
                cell.outputs.append(v4.output_from_msg(message))
            elif message["msg_type"] == "update_display_data":
                cell.outputs[-1].data = message["content"]["data"]
        return reply


def test_a_notebook_in_vs_code_has_code_messages_and_its_own_settings(kernel, server, folder):
    code = VSCode(kernel, folder / "of vs code.ipynb", "x = 6 * 7\nx", "%%msg\nWhat is x?", "x + 1")
    code.notebook.cells[1].metadata = {"tags": ["keep"], "msgbook": {"agent": "poet"}}
    code.notebook.metadata["msgbook"] = {"frontmatter": "agents:\n  poet: {models: p-1}\n"}

    assert [code.run(position)["status"] for position in range(3)] == ["ok"] * 3

    turn = code.notebook.cells[1].outputs[0].data[TURN_MIME]
    assert (turn["status"], turn["agent"], turn["model"]) == ("done", "poet", "p-1")
    assert turn["context"]["source"] == "file"
    assert "x = 6 * 7" in sent(server)[0]
    assert "42" in sent(server)[0]
    assert sent(server)[-1] == "What is x?"
    assert code.notebook.cells[2].outputs[0].data["text/plain"] == "43"


def test_what_vs_code_runs_for_itself_is_python_and_no_part_of_the_notebook(kernel, server):
    """It looks at variables and sets the session up by code without a cell, silently or not stored."""
    for code in (
        "%config Completer.use_jedi = False",
        "import json as _vscode\n_vscode.dumps([1])",
    ):
        assert send(kernel, code, {}, store_history=False, allow_stdin=False)[0]["status"] == "ok"
    silent = "import builtins\nprint('variables')"
    assert send(kernel, silent, {}, silent=True, store_history=False)[0]["status"] == "ok"

    assert (
        send(kernel, "%%msg\nHello", {"cellId": "vscode-notebook-cell:a#W0s"})[0]["status"] == "ok"
    )

    assert sent(server)[-1] == "Hello"
    assert "_vscode" not in str(sent(server))
    assert "builtins" not in str(sent(server))


def test_a_tool_is_asked_about_in_vs_codes_field_of_input(kernel, server):
    server.answers = [call("python", {"code": "1 + 1"}), text("Done.")]
    fields = {"code": "%%msg\nAdd.", "silent": False, "store_history": True, "allow_stdin": True}
    metadata = {"cellId": "vscode-notebook-cell:Untitled-1.ipynb?jupyter-notebook#W0s"}
    request = kernel.client.session.msg("execute_request", fields, metadata=metadata)
    kernel.client.shell_channel.send(request)
    asked = kernel.client.get_stdin_msg(timeout=300)
    kernel.client.input("y")
    reply, _ = kernel.finish(request["header"]["msg_id"])

    assert "1 + 1" in asked["content"]["prompt"]
    assert reply["status"] == "ok"
    assert server.messages()[-1]["content"].strip() == "2"


ODD = [
    {},
    {"cellId": None},
    {"cellId": 5},
    {"cellId": ["a"]},
    {"cellId": {"a": 1}},
    {"cellId": ""},
    {"cellId": "a" * 10_000},
    {"cellId": "vscode-notebook-cell:"},
    {"cellId": "vscode-notebook-cell:/etc/passwd#W0sZmlsZQ%3D%3D"},
    {"cellId": "vscode-notebook-cell://[bad#W9999999999999s"},
    {"cell_id": "a"},
    {"cellId": "a", "deletedCells": None},
    {"cellId": "a", "deletedCells": [1, None, {}]},
    {"cellId": "a", "msgbook": 5},
    {"cellId": "a", "msgbook": {"agent": 3, "text": {}, "other": None}},
]


@pytest.mark.parametrize("metadata", ODD, ids=lambda one: json.dumps(one)[:40])
def test_odd_metadata_change_neither_code_nor_message(kernel, server, metadata):
    reply, messages = send(kernel, "x = 3\nx", metadata)
    values = [m["content"]["data"] for m in messages if m["msg_type"] == "execute_result"]
    assert (reply["status"], values) == ("ok", [{"text/plain": "3"}])

    reply, messages = send(kernel, "%%msg\nHello", metadata)

    assert reply["status"] == "ok"
    shown = [m["content"]["data"] for m in messages if TURN_MIME in m["content"].get("data", {})]
    assert shown[-1][TURN_MIME]["status"] == "done"
    assert sent(server)[-1] == "Hello"


@pytest.mark.parametrize(
    "content", [{"store_history": None}, {"user_expressions": None}, {"silent": 0}]
)
def test_odd_content_gets_one_reply(kernel, content):
    for code in ("x = 4", "%%msg\nHello"):
        requests = [ask(kernel, code, {"cellId": "a"}, **content), ask(kernel, "1", {})]
        answered: list[str] = []
        while requests[-1] not in answered:
            reply = kernel.client.get_shell_msg(timeout=300)
            answered.append(reply["parent_header"]["msg_id"])

        assert answered == requests


def test_an_empty_cell_and_one_of_blanks_are_pythons(kernel, server):
    for code in ("", " \n", "# %%msg", "'%%msg'", "x = '''\n%%msg\n'''"):
        assert send(kernel, code, {"cellId": "a"})[0]["status"] == "ok"
    for code in ("%%msg", "%%msg\n", "\n%%msg \n\n"):
        assert send(kernel, code, {"cellId": "b"})[0]["status"] == "error"
