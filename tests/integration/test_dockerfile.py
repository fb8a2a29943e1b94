"""The Dockerfile: well-formed, not run by root, without a key, and its commands work with the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = re.findall(r"^([A-Z]+) (.+)$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)


def of(instruction: str) -> list[str]:
    return [words for name, words in LINES if name == instruction]


def test_hadolint_finds_nothing():
    hadolint = Path(sys.executable).with_name("hadolint")

    checked = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True)

    assert checked.stdout == ""
    assert checked.returncode == 0


def test_it_is_a_slim_python_and_no_root_and_holds_no_key():
    assert re.fullmatch(r"python:3\.\d+-slim", of("FROM")[-1])
    assert of("USER") == ["1000"]
    assert [name for name, _ in LINES].index("USER") > [name for name, _ in LINES].index("COPY")
    assert of("ENV") == of("ARG") == []


def test_the_image_takes_the_wheel_and_nothing_else_of_the_folder():
    assert of("COPY") == ["dist/*.whl /tmp/dist/"]
    assert (ROOT / ".dockerignore").read_text().split() == ["*", "!dist/*.whl"]
    assert "pip install --no-cache-dir /tmp/dist/*.whl" in of("RUN")[-1]


def test_jupyterlab_knows_what_the_container_starts_it_with():
    command = re.findall(r'"(.+?)"', of("CMD")[0])

    shown = subprocess.run(
        [sys.executable, "-m", *command, "--show-config-json"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert '"ip": "0.0.0.0"' in shown.stdout
    assert '"port": 8888' in shown.stdout
