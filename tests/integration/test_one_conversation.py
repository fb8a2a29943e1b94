"""One conversation gives the same requests wherever it is held: on the command line, and by clients
without our page that save before they run. What JupyterLab gives stands in the browser tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
import one_conversation as table
import pytest
from command import with_settings
from kernel_client import KernelClient, Message

import msgbook_format
from msgbook.cli.run import run_file
from msgbook_format.turn import TURN_MIME


def write(notebook: dict[str, Any], path: Path) -> None:
    writing = msgbook_format.write if path.suffix == ".md" else nbformat.write
    writing(nbformat.from_dict(notebook), path)


def new_notebook() -> dict[str, Any]:
    notebook: dict[str, Any] = nbformat.v4.new_notebook(metadata=table.METADATA)
    return notebook


def names(spec: dict[str, str]) -> str:
    return spec["name"]


@pytest.mark.parametrize("spec", table.SPECS, ids=names)
@pytest.mark.parametrize("name", ["chat.ipynb", "chat.msg.md"])
def test_on_the_command_line(server, tmp_path, name, spec):
    """It runs no code: what the code printed stands in the file."""
    server.answers = table.ANSWERS
    path = tmp_path / name
    notebook = new_notebook()
    for step in table.STEPS:
        table.apply(step, notebook)
        for cell in notebook["cells"]:
            if printed := table.PRINTED.get(cell["source"]):
                stream = nbformat.v4.new_output("stream", name="stdout", text=printed)
                cell["outputs"] = [stream]
        write(table.written_for(spec, notebook), path)
        assert with_settings(server, run_file, path, first=step.again) == 0
        ran = msgbook_format.read(path) if path.suffix == ".md" else nbformat.read(path, 4)
        for cell, answered in zip(notebook["cells"], ran["cells"], strict=True):
            assert answered["source"] == table.source_for(spec, cell)
            if cell["cell_type"] == "code":
                cell["outputs"] = answered["outputs"]

    assert table.requests(server) == table.REQUESTS


class Client:
    """A client without our page: it shows outputs, and saves before it runs a cell.

    Args:
        asking: Gives the id and the metadata of a cell as this client sends them.
        spec: The kernelspec of the notebook.
    """

    def __init__(
        self,
        kernel: KernelClient,
        path: Path,
        asking: Callable[[dict[str, Any]], tuple[str | None, dict[str, Any]]],
        spec: dict[str, str],
    ) -> None:
        self._kernel, self._path, self._asking = kernel, path, asking
        self._spec = spec
        self.notebook = new_notebook()

    def do(self, step: table.Step) -> None:
        table.apply(step, self.notebook)
        for cell_id in step.runs:
            (cell,) = [cell for cell in self.notebook["cells"] if cell["id"] == cell_id]
            cell["outputs"] = []
            write(table.written_for(self._spec, self.notebook), self._path)
            sent_id, metadata = self._asking(cell)
            source = table.source_for(self._spec, cell)
            request = self._kernel.start(source, sent_id, metadata=metadata)
            reply, seen = self._kernel.finish(request)
            assert reply["status"] == "ok"
            for message in seen:
                _show(cell, message)

    @property
    def sources(self) -> list[str]:
        """Where the turns say that they had their cells from."""
        data = [
            o["data"] for c in self.notebook["cells"] for o in c.get("outputs", ()) if "data" in o
        ]
        return [bundle[TURN_MIME]["context"]["source"] for bundle in data]

    @property
    def notices(self) -> list[str]:
        turns = [
            output["data"][TURN_MIME]
            for cell in self.notebook["cells"]
            for output in cell.get("outputs", ())
            if "data" in output
        ]
        return [b["text"] for turn in turns for b in turn["blocks"] if b["type"] == "notice"]


def _show(cell: dict[str, Any], message: Message) -> None:
    """Put an output into a cell; a turn is shown in one display, which is updated."""
    if message["msg_type"] == "stream":
        cell["outputs"].append(nbformat.v4.output_from_msg(message))
    elif message["msg_type"] in ("display_data", "update_display_data"):
        message = message | {"header": message["header"] | {"msg_type": "display_data"}}
        cell["outputs"] = [nbformat.v4.output_from_msg(message)]


class VSCode:
    """The ids of cells as VS Code makes them: numbers that last while the notebook is open."""

    def __init__(self, path: Path) -> None:
        self._path = quote(str(path))
        self._handles: dict[str, int] = {}

    def __call__(self, cell: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
        handle = self._handles.setdefault(cell["id"], len(self._handles))
        return f"vscode-notebook-cell:{self._path}#W{handle}sZmlsZQ%3D%3D", cell["metadata"]


def with_ids(cell: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    return cell["id"], cell["metadata"]


def without_ids(cell: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    return None, {}


@pytest.mark.parametrize("spec", table.SPECS, ids=names)
@pytest.mark.parametrize("kind", ["VS Code", "JupyterLab without our page", "a client without ids"])
def test_by_a_client_without_our_page(server, tmp_path, kind, spec):
    server.answers = table.ANSWERS
    path = tmp_path / "my chat.ipynb"
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    asking = {"VS Code": VSCode(path), "a client without ids": without_ids}.get(kind, with_ids)
    if kind != "VS Code":
        settings["JPY_SESSION_NAME"] = str(path)

    write(table.written_for(spec, new_notebook()), path)
    with KernelClient(settings, str(tmp_path), name=spec["name"]) as kernel:
        client = Client(kernel, path, asking, spec)
        for step in table.STEPS:
            client.do(step)

    assert table.requests(server) == table.REQUESTS
    assert set(client.sources) == {"file"}
    assert client.notices == []
