"""A client without our page: the session keeps what ran, with what it put out."""

from __future__ import annotations

from typing import Any

import pytest
from scripted_server import text


@pytest.fixture
def server(module_server):
    module_server.answers = [text(f"Answer {number}.") for number in range(1, 9)]
    return module_server


def spoken(server: Any) -> list[str]:
    """What the last request's messages say, without the system message."""
    return [message["content"] for message in server.messages()[1:]]


def ran(code: str, output: str = "") -> str:
    said = f"I ran this code:\n\n```python\n{code}\n```"
    return f"{said}\n\nOutput:\n\n```\n{output}\n```" if output else said


def test_code_is_sent_with_all_its_outputs_in_order(kernel, server):
    code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\ndisplay('shown')\n3 * 4"
    kernel.run(f"%%python\n{code}", "a")
    kernel.run("%%python\n1 / 0", "b")
    kernel.run("%env --unknown", "c")
    kernel.run("Well?", "d")

    first, failed, _, prompt = spoken(server)
    assert first == ran(code, "out\nerr\n'shown'\n12")
    assert failed.startswith("I ran this code:\n\n```python\n1 / 0\n```\n\nOutput:")
    assert "ZeroDivisionError: division by zero" in failed
    assert "\x1b" not in failed
    assert prompt == "Well?"


def test_cleared_and_updated_outputs_are_sent_in_their_last_state(kernel, server):
    code = (
        "from IPython.display import clear_output\n"
        "print('gone'); clear_output()\n"
        "shown = display('first', display_id=True)"
    )
    kernel.run(f"%%python\n{code}", "a")
    kernel.run("%%python\nshown.update('second')", "b")
    kernel.run("Well?", "c")

    assert spoken(server) == [ran(code, "'second'"), ran("shown.update('second')"), "Well?"]


def test_pictures_are_sent_to_a_model_that_sees(kernel, server):
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    kernel.run(f"%%python\ndisplay({{'image/png': '{png}'}}, raw=True)", "a")
    kernel.run("What is it?", "b")

    _, picture = server.messages()[1]["content"]
    assert picture["image_url"]["url"] == f"data:image/png;base64,{png}"


def test_output_of_a_thread_after_its_cell_has_ended_is_not_lost(kernel, server):
    code = "import threading\ngo = threading.Event()\n"
    code += "late = threading.Thread(target=lambda: (go.wait(300), print('late')))\nlate.start()"
    kernel.run(f"%%python\n{code}", "a")
    kernel.run("%%python\ngo.set(); late.join()", "b")
    kernel.run("Well?", "c")

    assert len(spoken(server)) == 3
    assert str(spoken(server)).count("Output:\\n\\n```\\nlate") == 1


def test_a_cell_that_runs_again_keeps_its_position(kernel, server):
    kernel.run("%%python\nprint(1)", "a")
    kernel.run("One", "b")
    kernel.run("%%python\nprint(2)", "a")
    kernel.run("Two", "c")
    assert spoken(server) == [ran("print(2)", "2"), "One", "Answer 1.", "Two"]

    kernel.run("One again", "b")
    assert spoken(server) == [ran("print(2)", "2"), "One again"]


def test_metadata_of_a_request_keeps_its_cell_from_the_model_and_names_an_agent(kernel, server):
    hidden = {"msgbook": {"history": "exclude"}}
    kernel.finish(kernel.start("%%python\nprint('secret')", "a", metadata=hidden))
    kernel.finish(kernel.start("Hidden", "b", metadata=hidden))
    reply, _ = kernel.finish(kernel.start("Well?", "c", metadata={"msgbook": {"model": "another"}}))
    assert spoken(server) == ["Well?"]
    assert server.requests[-1]["model"] == "another"

    reply, _ = kernel.finish(kernel.start("Hm?", "d", metadata={"msgbook": {"agent": "nobody"}}))
    assert "nobody" in reply["evalue"]


def test_a_cell_runs_after_the_working_directory_was_deleted(kernel, server):
    go = "%%python\nimport os, tempfile\nfolder = tempfile.mkdtemp()\nbefore = os.getcwd()"
    kernel.run(f"{go}\nos.chdir(folder)\nos.rmdir(folder)", "a")
    reply, _ = kernel.run("Well?", "b")
    kernel.run("%%python\nos.chdir(before)", "c")

    assert reply["status"] == "ok"


@pytest.mark.parametrize("content", [{"silent": True}, {"store_history": False}])
def test_code_of_the_client_itself_is_no_part_of_the_conversation(kernel, server, content):
    kernel.run("%%python\nprint('of the client')", **content)
    kernel.run("Well?", "a")

    assert "of the client" not in str(server.messages())


def test_startup_commands_are_never_sent_to_a_model_and_say_so(kernel, server):
    reply, seen = kernel.run("import os\nos.getcwd()", store_history=False)

    assert reply["status"] == "ok"
    said = [m["content"]["text"] for m in seen if m["msg_type"] == "stream"]
    assert said[0].startswith("This was not sent to a model")
    assert server.requests == []


def test_without_ids_cells_are_sent_in_the_order_in_which_they_ran(kernel, server):
    kernel.run("One")
    kernel.run("%%python\nprint(1)")
    kernel.run("%%python\nprint(1)")
    kernel.run("Two")

    ones = [ran("print(1)", "1")] * 2
    assert spoken(server) == ["One", "Answer 1.", *ones, "Two"]
