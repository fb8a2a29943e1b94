"""The example plug-in, installed by pip, in kernels and commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kernel_client import KernelClient
from packages import write_package
from scripted_server import call, text

from msgbook_format import read
from msgbook_format.turn import TURN_MIME, turn_of

CHAT = "# %% [^a]\n\nhello\n"
PARROT = """
[providers.bird]
plugin = "parrot"
options = { times = 2 }
"""


@pytest.fixture
def command(example, tmp_path):
    """Runs a verb in a folder beside `tmp_path / "chat.msg.md"`, with the plug-in installed."""
    chat = tmp_path / "chat.msg.md"
    chat.write_text(CHAT)

    def run(*argv: str, toml: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "msgbook.toml"
        file.write_text(toml)
        env = {"PYTHONPATH": str(example), "MSGBOOK_CONFIG": str(file), **env}
        return subprocess.run(
            [sys.executable, "-m", "msgbook", *argv],
            env={**os.environ, **env},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def kernel(example, server, tmp_path):
    settings = {"PYTHONPATH": str(example), "OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path)) as client:
        yield client


def blocks(turn: Any, kind: str) -> list[Any]:
    return [block for block in turn["blocks"] if block["type"] == kind]


def answered(path: Path) -> Any:
    return turn_of(read(path)["cells"][0]["outputs"][0])


def printed(messages: list[Any]) -> str:
    return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")


def test_run_offers_the_tool_and_runs_its_calls(command, server, tmp_path):
    server.answers = [call("roll", {"dice": 3, "sides": 2}), text("done")]

    env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "MSGBOOK_APPROVAL": "allow"}

    done = command("run", "chat.msg.md", **env)

    offered = [tool["function"] for tool in server.requests[0]["tools"]]
    roll = next(tool for tool in offered if tool["name"] == "roll")
    assert done.returncode == 0
    assert roll["description"] == "Roll dice and return what each shows."
    assert roll["parameters"]["properties"]["sides"]["description"] == "Sides of each die."
    (result,) = blocks(answered(tmp_path / "chat.msg.md"), "tool_result")
    assert result["status"] == "success"
    assert set(result["content"]) <= set("[12,]")


def test_a_tool_that_does_not_say_that_it_only_reads_runs_with_approval_alone(
    command, server, tmp_path
):
    server.answers = [call("roll", {}), call("largest_file", {}), text("done")]
    env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "MSGBOOK_APPROVAL": "deny"}
    (tmp_path / "big.txt").write_text("x" * 10_000)

    command("run", "chat.msg.md", **env)

    roll, largest = blocks(answered(tmp_path / "chat.msg.md"), "tool_result")
    assert roll["status"] == "denied"
    assert "it runs code of the plug-in msgbook-example 1.0" in roll["content"]
    assert (largest["status"], largest["content"]) == ("success", "big.txt")


def test_a_kernel_asks_before_the_tool_runs_and_lists_it(kernel, server):
    server.answers = [call("roll", {"sides": 2}), text("done")]

    request = kernel.start("roll", "a", allow_stdin=True)
    asked = kernel.client.get_stdin_msg(timeout=300)["content"]["prompt"]
    kernel.client.input("y")
    _, messages = kernel.finish(request)
    _, listed = kernel.run("%tools")
    _, taken = kernel.run("%tool roll")

    turn = [m["content"]["data"][TURN_MIME] for m in messages if "transient" in m["content"]][-1]
    assert [b["approval"] for b in blocks(turn, "tool_call")] == ["user"]
    assert "it runs code of the plug-in msgbook-example 1.0" in printed(messages) + asked
    assert "roll(dice?, sides?)  [needs approval, from the plug-in msgbook-example 1.0]" in printed(
        listed
    )
    assert "largest_file()  [no approval, from the plug-in msgbook-example 1.0]" in printed(listed)
    assert "roll is a tool of the plug-in msgbook-example 1.0" in str(taken)


def test_run_answers_with_the_provider(command, tmp_path):
    done = command("run", "chat.msg.md", toml=PARROT)

    turn = answered(tmp_path / "chat.msg.md")
    assert (done.returncode, done.stderr) == (0, "")
    assert blocks(turn, "text")[0]["text"] == "hello hello"
    assert (turn["provider"], turn["model"]) == ("bird", "grey")


def test_the_doctor_lists_the_plug_in_and_checks_its_provider(command):
    done = command("doctor", toml=PARROT)

    assert (
        "pass     plug-in: msgbook-example 1.0: provider parrot, tool largest_file, tool roll\n"
        in done.stdout
    )
    assert (
        "server    the plug-in's provider parrot ([providers.bird] of msgbook.toml)\n"
        in done.stdout
    )
    assert "pass     server: reachable; lists grey\n" in done.stdout


def test_a_plug_in_that_is_turned_off_is_listed_and_adds_nothing(command):
    off = '[plugins]\noff = ["msgbook-example:roll", "absent"]\n'
    done = command("doctor", toml=off)
    shown = command("preview", "--json", "chat.msg.md", toml=off)

    assert "tool roll (turned off)" in done.stdout
    assert "unknown  plug-in: [plugins] off names 'absent', which is not installed\n" in done.stdout
    assert '"largest_file"' in shown.stdout
    assert '"roll"' not in shown.stdout


def test_the_doctor_names_each_plug_in_that_cannot_be_used(command, tmp_path_factory, example):
    folder = tmp_path_factory.mktemp("more")
    write_package(folder, "bad", "1 / 0", tools={"grow": "grow", "read": "f"})

    done = command("doctor", "--offline", PYTHONPATH=os.pathsep.join([str(example), str(folder)]))

    assert done.returncode == 1
    assert "FAIL     plug-in: the plug-in bad 1.0 (tool grow = bad:grow) cannot be" in done.stdout
    assert "FAIL     plug-in: the plug-in bad 1.0 (tool read = bad:f) is not used" in done.stdout
    assert "pass     plug-in: msgbook-example 1.0" in done.stdout


def test_no_plug_in_of_the_working_directory_counts_in_a_command(command, tmp_path):
    write_package(tmp_path, "planted", "open('imported', 'w')", tools={"evil": "f"})
    (tmp_path / "msgbook_example").mkdir()
    (tmp_path / "msgbook_example" / "__init__.py").write_text("open('imported', 'w')")

    shown = command("preview", "--json", "chat.msg.md")

    assert '"roll"' in shown.stdout
    assert '"evil"' not in shown.stdout
    assert not (tmp_path / "imported").exists()


def test_no_plug_in_of_the_notebooks_folder_counts_in_a_kernel(kernel, server, tmp_path):
    write_package(tmp_path, "planted", "open('imported', 'w')", tools={"evil": "f"})
    (tmp_path / "msgbook_example.py").write_text("open('imported', 'w')")
    kernel.run("%%python\nimport sys")

    _, listed = kernel.run("%tools")

    assert "roll(" in printed(listed)
    assert "evil" not in printed(listed)
    assert not (tmp_path / "imported").exists()


def test_a_plug_in_that_hangs_at_its_import_can_be_interrupted_in_a_kernel(
    packages, server, tmp_path
):
    source = "import threading\nprint('importing', flush=True)\nthreading.Event().wait()"
    write_package(packages, "stuck", source, tools={"never": "never"})
    env = {"PYTHONPATH": str(packages), "OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(env, str(tmp_path)) as kernel:
        request = kernel.start("hello", "a")

        def interrupt(message):
            if message["msg_type"] == "stream":
                kernel.manager.interrupt_kernel()

        reply, messages = kernel.finish(request, interrupt)
        assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
        reply, messages = kernel.run("%%python\nprint(6 * 7)")

    assert "42" in printed(messages)


def test_neither_check_nor_the_start_of_a_kernel_pays_for_plug_ins(tmp_path, example):
    (tmp_path / "chat.msg.md").write_text(CHAT)
    program = (
        "import sys\nfrom msgbook.__main__ import main\nmain(['check', 'chat.msg.md'])\n"
        "import msgbook.kernel.msg_kernel, msgbook.kernel.msg_kernel as warm_up\n"
        "print({'msgbook.plugins'} & sys.modules.keys())\n"
        "warm_up.warm_up()\nprint({'msgbook_example'} & sys.modules.keys())"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(example)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines()[-2:] == ["set()", "set()"]
