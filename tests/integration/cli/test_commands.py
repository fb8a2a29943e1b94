"""The verbs that look at files: what they print, what they leave alone, how they end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command import plant_modules
from listed_chat import CHAT


def _command(*argv, **options):
    return subprocess.Popen([sys.executable, "-m", "msgbook", *map(str, argv)], **options)


def test_a_reader_that_leaves_is_no_error(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% a\n" * 20_000)

    with _command("list", path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""

    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("cells", [1, 20_000])
def test_output_that_cannot_be_written_is_told_in_one_line(tmp_path, cells):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% a\n" * cells)

    with Path("/dev/full").open("wb") as full:
        process = _command("list", path, stdout=full, stderr=subprocess.PIPE)
        _, told = process.communicate()

    assert process.returncode == 2
    assert told.decode() == "msgbook list: No space left on device\n"


def test_the_help_imports_neither_jupyter_nor_openai():
    program = (
        "import sys\nfrom msgbook.__main__ import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'openai', 'nbformat', 'jupyter_core', 'jupytext', 'traitlets', 'IPython', 'yaml'}\n"
        "print(heavy & set(sys.modules))"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert done.stdout.decode().splitlines()[-1] == "set()"


@pytest.mark.parametrize(
    "argv",
    [
        ["list", "a.msg.md"],
        ["check", "a.msg.md"],
        ["preview", "a.msg.md"],
        ["run", "a.msg.md"],
        ["trust", "."],
        ["doctor", "--offline"],
        ["jupytext", "--version"],
        ["--help"],
    ],
    ids=lambda argv: argv[0],
)
def test_no_command_imports_from_the_folder_it_works_in(tmp_path, argv):
    trace = plant_modules(tmp_path)
    (tmp_path / "a.msg.md").write_text(CHAT)

    with _command(*argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        _, said = done.communicate(timeout=300)

    assert not trace.exists(), trace.read_text()
    assert b"Traceback" not in said


def test_jupytext_does_not_run_the_configuration_of_the_folder(tmp_path):
    trace, name = tmp_path / "ran", ".jupytext.py"
    (tmp_path / name).write_text(f"open({str(trace)!r}, 'w')\nc.formats = 'ipynb,.msg.md:msg'\n")
    (tmp_path / "a.msg.md").write_text(CHAT)

    argv = ["jupytext", "a.msg.md", "--to", "ipynb"]
    with _command(*argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        _, said = done.communicate(timeout=300)

    assert done.returncode == 0
    assert (tmp_path / "a.ipynb").exists()
    assert not trace.exists()
    assert said.decode().count(f"'{tmp_path / name}': ") == 1
