"""Jupytext's own tests, from the sources of the version that is installed: none fails for msgbook.

Run with `make test-compat`, which puts the sources and what the tests need into `.neighbours/`.
Left out are `tests/external`, which needs GitPython, pandoc, Quarto, marimo and others, and a test
that compares two files of Jupytext's sources with the help of black.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

NEIGHBOURS = Path(__file__).parents[3] / ".neighbours"
FOLDERS = ("tests/unit", "tests/functional", "tests/integration")
SYNC_TEST = "tests/functional/contents_manager/test_async_and_sync_contents_manager_are_in_sync.py"
FEWEST = 3000
"""Tests that have to pass: a run of nothing shows nothing."""

pytestmark = [pytest.mark.neighbours, pytest.mark.timeout(1800)]


def run(cache, *options, **environment):
    """Run the suite; the tests of it that have failed by then, and how many passed now."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-o", f"cache_dir={cache}"]
    folder = NEIGHBOURS / f"jupytext-{version('jupytext')}"
    assert folder.is_dir(), f"{folder} is not there: run `make test-compat`"
    path = os.pathsep.join([str(NEIGHBOURS / "packages"), str(Path(__file__).parent)])
    result = subprocess.run(
        [*command, f"--ignore={SYNC_TEST}", *options, *FOLDERS],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "MSGBOOK_NO_AUTOLOAD": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = re.search(r"(\d+) passed", result.stdout)
    assert result.returncode in (0, 1), result.stdout[-5000:] + result.stderr[-5000:]
    failed = cache / "v" / "cache" / "lastfailed"
    failures = set(json.loads(failed.read_text())) if failed.exists() else set()
    return failures, int(passed[1]) if passed else 0


@pytest.mark.parametrize("plugin", ["registered", "managed"])
def test_no_test_fails_with_msgbook_that_passes_without(tmp_path, plugin):
    options = () if plugin == "registered" else ("-k", "contents_manager or contentsmanager")
    failed, passed = run(tmp_path, "-p", f"with_msgbook_{plugin}", *options)
    assert passed >= (FEWEST if plugin == "registered" else 300)
    if not failed:
        return

    fail_alone, _ = run(tmp_path, "--last-failed", MSGBOOK_NO_AUTOLOAD="1")

    assert failed - fail_alone == set()
