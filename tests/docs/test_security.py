"""SECURITY.md: each promise names the tests that hold it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
PROMISES = PAGE.partition("## What is promised\n")[2].partition("\n## ")[0]


def test_behind_each_promise_stand_tests_that_are_there():
    promises = re.findall(r"^- (.*?)(?=^- |^\*\*|\Z)", PROMISES, re.MULTILINE | re.DOTALL)
    named = {promise: re.findall(r"(?:ui-)?tests/[\w/]+\.py", promise) for promise in promises}

    assert len(promises) > 15
    assert [promise for promise, tests in named.items() if not tests] == []
    assert [t for tests in named.values() for t in tests if not (ROOT / t).is_file()] == []


def test_what_is_named_is_hidden_from_the_reader():
    assert "tests/" not in re.sub(r"<!--.*?-->", "", PROMISES, flags=re.DOTALL)


def test_the_page_is_short_names_no_host_and_is_linked():
    shown = re.sub(r"<!--.*?-->", "", PAGE, flags=re.DOTALL)

    assert len(shown.split()) < 900
    assert "://" not in PAGE
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text("utf-8")
