"""The documentation speaks of what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import msgbook.config
from msgbook.magics import HELP

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path):
    links = re.findall(r"\]\((?!\w+:|#)([^)#]+)", page.read_text("utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_make_exists(page: Path):
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"`make ([a-z]+)[ `]", page.read_text("utf-8")))

    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_every_setting_is_documented():
    page = (ROOT / "docs" / "configuration.md").read_text()
    modules = Path(msgbook.config.__file__).parent.glob("*.py")
    source = "".join(module.read_text() for module in modules)
    variables = set(re.findall(r'"((?:OPENAI|MSGBOOK)_[A-Z_]+)"', source))
    keys = msgbook.config.TOP_KEYS | msgbook.config.PROVIDER_KEYS

    assert len(variables) >= 4
    assert [name for name in variables | keys if name not in page] == []


def test_the_readme_names_each_magic_that_help_explains():
    readme = (ROOT / "README.md").read_text()
    named = set(re.findall(r"^(%{1,2}\w+)", HELP, re.MULTILINE))

    assert named >= {"%model", "%models", "%help", "%%python", "%%msg"}
    assert [name for name in named if name not in readme] == []
