"""Code in a chat and in `Python + Chat` is completed, inspected, run and timed as ipykernel does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from kernel_client import KernelClient, Message

from msgbook.notebook.magics_table import OWN_MAGICS
from msgbook_format.syntax import CONTINUE_MAGIC, MSG_MAGIC

LINE = "%%python\n"
OWN = {MSG_MAGIC, CONTINUE_MAGIC, *OWN_MAGICS}
SET_UP = """\
import math
class Boat:
    "A boat of wood."
    sails = 3
    def row(self, times: int = 2) -> str:
        "Row some times."
        return "row" * times
boat = Boat()
table = {"first": 1, "second": 2}
numbers = [1, 2, 3]
"""


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelClient]:
    with KernelClient({}, str(tmp_path_factory.mktemp("stock")), name="python3") as kernel:
        assert kernel.run(SET_UP)[0]["status"] == "ok"
        yield kernel


@pytest.fixture(scope="module", params=["msgbook", "msgbook-python"])
def ours(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[KernelClient, str]]:
    """A kernel, and the line that a cell of Python begins with there."""
    folder = str(tmp_path_factory.mktemp("ours"))
    line = LINE if request.param == "msgbook" else ""
    with KernelClient({"MSGBOOK_MODEL": "demo"}, folder, name=request.param) as kernel:
        assert kernel.run(line + SET_UP)[0]["status"] == "ok"
        yield kernel, line


CODE = [
    "boat.r",
    "boat.",
    "Boat().sa",
    "math.fl",
    "import ma",
    "from math import flo",
    "tab",
    "table['",
    'table["s',
    "numbers[0].bit_",
    "boat.row(ti",
    "def f():\n    return mat",
    "x = 1\ny = pri",
    "for n in numb",
    "%tim",
    "%%tim",
    "!ec",
    "nothing_like_this",
    "",
    "x = 'boat.r'\nbo",
    "# boat.r",
    "a = boat; a.",
    "λ = 3; nu",
    "\U0001f600 = boat.r",
]


def offered(kernel: KernelClient, line: str, code: str, cursor: int) -> Any:
    """Return what a kernel offers in a cell, with its places in the code, without msgbook's magics.

    Jedi types what it has time for, and orders names by chance. The kernels have run different numbers of cells.
    """
    at = len(line)
    found = kernel.client.complete(line + code, at + cursor, reply=True, timeout=300)["content"]
    typed = found["metadata"].get("_jupyter_types_experimental", [])
    names = {(one["text"], one["start"] - at, one["end"] - at) for one in typed}
    return (
        found["status"],
        (found["cursor_start"] - at, found["cursor_end"] - at),
        sorted(name for name in found["matches"] if not _is_own(name)),
        sorted(one for one in names if not _is_own(one[0])),
    )


def _is_own(name: str) -> bool:
    return name in OWN or re.fullmatch(r"\w*_(?:i?\d+|exit_code)", name) is not None


@pytest.mark.parametrize("code", CODE)
def test_a_cell_is_completed_as_ipykernel_does_it(stock, ours, code):
    kernel, line = ours
    for cursor in {len(code), len(code) // 2}:
        assert offered(kernel, line, code, cursor) == offered(stock, "", code, cursor)


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("code", ["boat", "Boat", "boat.row", "math.floor", "boat.row(2)", "print", "nothing", "%time", "x = 1\nnumbers"])  # fmt: skip
def test_a_cell_is_inspected_as_ipykernel_does_it(stock, ours, code, level):
    kernel, line = ours

    def shown(client: KernelClient, text: str, cursor: int) -> Any:
        answer = client.client.inspect(text, cursor, level, reply=True, timeout=300)["content"]
        # The file of a cell and the addresses of objects are each process's own.
        place = re.compile(r"(?:File|.{0,11}File:).*|0x[0-9a-f]+|ipykernel_\d+")
        return {
            **answer,
            "data": {kind: place.sub("", said) for kind, said in answer["data"].items()},
        }

    for cursor in {len(code), max(len(code) - 2, 0)}:
        assert shown(kernel, line + code, len(line) + cursor) == shown(stock, code, cursor)


@pytest.mark.parametrize("code", ["def f(x):", "x = 1", "if x:\n    y", "x = (", "'''", "import = 7", "", "@decorator", "%%time"])  # fmt: skip
def test_a_console_is_told_whether_a_cell_is_complete_as_by_ipykernel(stock, ours, code):
    kernel, line = ours
    if line and not code:
        return  # the line alone waits for its code

    assert answered(kernel, line + code) == answered(stock, code)


def answered(kernel: KernelClient, code: str) -> Message:
    """Return the reply to `is_complete_request`."""
    request = kernel.client.is_complete(code)
    while (reply := kernel.client.get_shell_msg(timeout=300))["parent_header"]["msg_id"] != request:
        continue
    found: Message = reply["content"]
    return found


# They leave no names, which the other tests would be offered.
RUN = ["1 + 1", "print('a')", "1 / 0", "await __import__('asyncio').sleep(0)\n3", "%time 1", "!echo hi", "boat?", "raise SystemExit", "def", "display(1, 2)"]  # fmt: skip


@pytest.mark.parametrize("code", RUN)
def test_a_run_says_when_it_began_and_ended_in_the_messages_of_ipykernel(stock, ours, code):
    kernel, line = ours

    def told(client: KernelClient, source: str) -> tuple[list[Any], Any]:
        request = client.start(source, "a")
        kinds, reply = [], None
        while True:
            message = client.client.get_iopub_msg(timeout=300)
            if message["parent_header"].get("msg_id") != request:
                continue
            kinds.append((message["msg_type"], message["content"].get("execution_state")))
            if message["content"].get("execution_state") == "idle":
                break
        while reply is None or reply["parent_header"]["msg_id"] != request:
            reply = client.client.get_shell_msg(timeout=300)
        timed = {**reply["metadata"], "started": bool(reply["metadata"].get("started"))}
        return kinds, {key: value for key, value in timed.items() if key != "engine"}

    assert told(kernel, line + code) == told(stock, code)
