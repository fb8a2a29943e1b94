"""The two commands of the README, typed in a clean clone whose folder has a blank and an umlaut in its name."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from fences import fences_of

ROOT = Path(__file__).parents[2]
MINE = "compat/test_readme_start.py::test_the_commands_of_the_readme_work_in_a_clean_clone"
ONE_TEST = "-k 'test_laws and test_any_text_is_written_as_it_was_read' --no-header"
"""`.ci/run` runs all of them in a clean clone; here one is enough."""


@pytest.mark.timeout(1800)
def test_the_commands_of_the_readme_work_in_a_clean_clone(tmp_path: Path) -> None:
    readme, installing = fences_of(MINE)
    demo, test = (re.sub(r"\s+#.*", "", line) for line in readme.body.splitlines())
    clone = tmp_path / "für mich"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)

    # As a shell that a stranger has just opened, and nobody's browser.
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    env |= {"BROWSER": "true", "PYTEST_ADDOPTS": ONE_TEST}
    shown = opens_jupyterlab(demo, clone, env)
    activate = re.search(r"`(\. \S+/activate)`", (clone / "README.md").read_text("utf-8"))
    assert activate
    found = subprocess.run(
        ["sh", "-c", f"{activate[1]} && command -v jupyter-lab"],
        cwd=clone,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    tested = subprocess.run(
        ["sh", "-c", test], cwd=clone, env=env, capture_output=True, text=True, check=False
    )

    assert installing.body == readme.body
    assert "rain.ipynb" in shown
    assert Path(found.stdout.strip()).is_relative_to(clone)
    assert tested.returncode == 0, tested.stdout[-3000:] + tested.stderr[-3000:]
    assert re.search(r"^Tests: .* passed", tested.stdout + tested.stderr, re.MULTILINE)
    assert re.search(r"\b1 passed", tested.stdout)


def opens_jupyterlab(command: str, clone: Path, env: dict[str, str]) -> str:
    """Type a command, wait for the JupyterLab that it opens, end it with Ctrl+C, and return its page's address."""
    with subprocess.Popen(
        ["sh", "-c", f"exec {command}"],
        cwd=clone,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"http://(?:127\.0\.0\.1|localhost):\d+/lab/\S+", line):
                break
        else:
            raise AssertionError("".join(said))
        try:
            assert status_of(found[0]) == 200
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.communicate()
    return found[0]


def status_of(url: str) -> int:
    """Return the status of a page. JupyterLab names its address shortly before it listens there."""
    while True:
        try:
            with urllib.request.urlopen(url) as page:
                return int(page.status)
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
