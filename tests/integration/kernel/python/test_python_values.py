"""Python values in words, in a real kernel: bounded, interruptible, nothing beside the answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_client import KernelClient, Message
from scripted_server import call, text

DESCRIBE = "%%python\nprint(await get_ipython().kernel._namespace().describe({name!r}))"
"""What a reference does, as a cell, so that whatever else is printed is an output of it."""


@pytest.fixture(scope="module")
def module_kernel(module_server, tmp_path_factory):
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    settings["MSGBOOK_APPROVAL"] = "allow"
    with KernelClient(settings, str(tmp_path_factory.mktemp("notebook"))) as client:
        yield client


@pytest.fixture
def defined(kernel, tmp_path) -> KernelClient:
    on = str(tmp_path / "on")
    reply, _ = kernel.run(f"%%python\nON = {on!r}\n{DEFINITIONS}", "definitions")
    assert reply["status"] == "ok", reply
    return kernel


DEFINITIONS = """
import os, sys
import pandas as pd

class Loud:
    def __repr__(self):
        print('printed'); print('printed', file=sys.stderr)
        os.system('echo printed')
        display('displayed')
        return 'Loud()'

class Odd:
    def __init__(self, code): self.code = code
    def __repr__(self): exec(self.code); return 'Odd()'

class Hanging:
    def __repr__(self):
        os.mkdir(ON)
        while True: pass

async def probe(name: str):
    return await get_ipython().kernel._namespace().describe(name)

loud = Loud()
hanging = Hanging()
raising, quitting, stopping, asking, leaving = map(
    Odd, ['1/0', 'sys.exit(3)', 'raise KeyboardInterrupt', 'input()', 'raise GeneratorExit']
)
frame = pd.DataFrame({'n': range(100_000), 'word': ['x' * 1000] * 100_000})
many = list(range(1_000_000))
figure = 1
"""


def described(kernel: KernelClient, name: str) -> tuple[str, list[Message]]:
    """What a cell prints that describes a variable, and its other messages."""
    reply, messages = kernel.run(DESCRIBE.format(name=name), "describing")
    kinds = {"status", "execute_input", "stream"}
    printed = [m["content"]["text"] for m in messages if m["msg_type"] == "stream"]
    words = f"{reply['ename']}: {reply['evalue']}" if reply["status"] == "error" else ""
    return "".join(printed) or words, [m for m in messages if m["msg_type"] not in kinds]


def test_a_data_frame_is_described_by_shape_types_and_first_rows(defined):
    words, _ = described(defined, "frame")

    assert words.startswith("pandas.")
    assert "DataFrame, 100000 rows x 2 columns:\n'n': int64\n'word': " in words
    assert "First rows:\n" in words
    assert len(words) < 1000


def test_a_long_value_is_bounded(defined):
    words, _ = described(defined, "many")

    assert words.startswith("list, 1000000 items:\n0\n1\n")
    assert words.endswith("... and 999980 more\n")


def test_output_of_a_class_while_it_is_described_is_dropped(defined):
    assert described(defined, "loud") == ("Loud: Loud()\n", [])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raising", "Odd: <Odd instance at 0x"),
        ("asking", "Odd: <Odd instance at 0x"),
        ("quitting", "SourceError: it cannot be shown, since it raises SystemExit"),
        ("stopping", "SourceError: it cannot be shown, since it raises KeyboardInterrupt"),
        ("leaving", "SourceError: it cannot be shown, since it raises GeneratorExit"),
        ("absent", "SourceError: there is no such variable in the notebook; run the cell that"),
        ("len", "SourceError: there is no such variable"),
    ],
)
def test_a_value_that_cannot_be_shown_is_a_notice_and_the_kernel_goes_on(defined, name, words):
    assert described(defined, name)[0].startswith(words)
    assert described(defined, "figure")[0] == "int: 1\n"


def test_an_interrupt_ends_a_repr_that_hangs(defined, module_server, tmp_path):
    defined.run("%tool probe")
    module_server.answers = [call("probe", {"name": "hanging"}), text("never")]
    request = defined.start("hi", "a")
    wait_for(tmp_path / "on")

    defined.manager.interrupt_kernel()
    reply, _ = defined.finish(request)

    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert len(module_server.requests) == 1
    defined.run("%help")
    assert described(defined, "figure")[0] == "int: 1\n"


def wait_for(sign: Path) -> None:
    while not sign.exists():
        pass
