"""What a browser test that failed leaves: pictures of its tabs, and what they and their server said."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator
from pathlib import Path

import pytest
from lab import Lab
from playwright.sync_api import Error

SCREENSHOTS = Path(os.environ.get("MSGBOOK_SCREENSHOTS", "test-results"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What each open tab shows and holds when a test fails, and the end of its server's log."""
    report = yield
    if report.when != "teardown" and report.failed:
        for index, tab in enumerate(tab for tab in Lab.all if not tab.page.is_closed()):
            picture = picture_of(item, f"failed-{index}")
            report.sections.append((f"tab {index}: {picture}", _last_words(tab, picture)))
        log = item.funcargs.get("log")
        if isinstance(log, Path) and log.exists():
            report.sections.append((str(log), log.read_text(errors="replace")[-4000:]))
        # A test that is tried once more and passes is in no report.
        said = "\n".join(content for _, content in report.sections)
        words = f"{report.longreprtext}\n{said}".encode("utf-8", "backslashreplace")
        picture_of(item, "failed").with_suffix(".txt").write_bytes(words)
    return report


def picture_of(test: pytest.Item, name: str) -> Path:
    """Return the file for a picture that a test takes."""
    SCREENSHOTS.mkdir(exist_ok=True)
    name_of_test = re.sub(r"\W+", "-", test.name)
    return SCREENSHOTS / f"{name_of_test}-{name}.png"


def _last_words(lab: Lab, picture: Path) -> str:
    try:
        lab.page.screenshot(path=picture)
        return "\n".join([json.dumps(lab.cells(), indent=1), *lab.console])
    except Error as error:
        return "\n".join([str(error), *lab.console])
