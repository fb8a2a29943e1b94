"""`msgbook demo`, as somebody types it first."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import nbformat
import pytest
from command import plant_modules
from fences import Fence
from forked import ForkServer
from processes import stop


@pytest.fixture
def headless(fork_server: ForkServer, tmp_path: Path) -> Callable[[Path], CompletedProcess[str]]:
    """Runs the demo without JupyterLab, in a folder."""
    code = "import sys; from msgbook.__main__ import main; sys.exit(main(sys.argv[1:]))"
    return lambda folder: fork_server.run(code, "demo", str(folder), "--headless", cwd=tmp_path)


def test_headless_it_runs_the_samples_and_exports_them(headless, tmp_path: Path):
    done = headless(tmp_path / "new")

    names = ("rain.ipynb", "rain.html", "demo.msg.md", "demo.html")
    made = [str(tmp_path / "new" / name) for name in names]
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, made, "")
    notebook = nbformat.read(tmp_path / "new" / "rain.ipynb", as_version=4)
    load, plot, question, average = [c for c in notebook.cells if c.cell_type == "code"]
    assert "11 of them measured" in str(load.outputs)
    assert "<svg" in plot.outputs[0].data["image/svg+xml"]
    assert "**July** has the largest number" in question.outputs[0].data["text/markdown"]
    # The one that a person has mended.
    assert [output.ename for output in average.outputs] == ["KeyError"]
    rain = (tmp_path / "new" / "rain.html").read_text("utf-8")
    assert "has the largest number" in rain
    assert "svg" in rain
    text = (tmp_path / "new" / "demo.msg.md").read_text("utf-8")
    page = (tmp_path / "new" / "demo.html").read_text("utf-8")
    assert "reasoning=1" in text
    assert '[tool] name="read"' in text
    assert "2 messages" in text
    assert "[notice]" not in text
    assert page.count("<details") >= 3
    assert "<details open" not in page


def test_headless_nothing_runs_or_is_replaced_that_was_there(headless, tmp_path: Path):
    theirs, page = tmp_path / "demo.msg.md", tmp_path / "theirs.html"
    trace = tmp_path / "trace"
    theirs.write_text(f"# %% [^a]\n\n[^a]: [code]\n\n```python\nopen({str(trace)!r}, 'w')\n```\n")
    before = theirs.read_bytes()
    page.write_text("theirs")
    (tmp_path / "rain.ipynb").write_text("theirs")
    (tmp_path / "demo-2.html").symlink_to(page)
    (tmp_path / "demo-3.msg.md").symlink_to(tmp_path / "elsewhere")

    done = headless(tmp_path)

    names = ("rain-2.ipynb", "rain-2.html", "demo-4.msg.md", "demo-4.html")
    assert (done.returncode, done.stdout.split()) == (0, [str(tmp_path / name) for name in names])
    assert (tmp_path / "rain.ipynb").read_text() == "theirs"
    assert (theirs.read_bytes(), page.read_text()) == (before, "theirs")
    assert not trace.exists()
    assert not (tmp_path / "elsewhere").exists()


def test_it_opens_jupyterlab_on_the_notebook_from_any_folder(fences: list[Fence], tmp_path: Path):
    """Whatever modules that folder holds: none is imported, the key is in the environment."""
    trace = plant_modules(tmp_path)
    (fence,) = fences
    command = [sys.executable, "-m", *fence.body.split()]
    # The browser that JupyterLab opens is a command that does nothing.
    environment = {**os.environ, "BROWSER": "true"}
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        assert running.stdout is not None
        said = []
        for line in running.stdout:
            said.append(line)
            if re.search(r"http://\S+/lab/tree/rain\.ipynb", line):
                break
        stop(running)

    assert "/lab/tree/rain.ipynb" in said[-1], "".join(said)
    names = {path.name for path in (tmp_path / command[-1]).iterdir()}
    assert {"rain.ipynb", "rain.csv", "demo.msg.md"} <= names
    assert not trace.exists(), trace.read_text()
