"""Links, names and examples of the documentation: they match the code."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout, suppress
from functools import cache
from pathlib import Path

import pytest

import msgbook.config
from msgbook.__main__ import main
from msgbook.config.file import PROVIDER_KEYS, TOP_KEYS
from msgbook_format import check, reads, writes
from msgbook_format.document.writer import writes as write_anew

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text("utf-8")
INDEX = (ROOT / "docs" / "index.md").read_text("utf-8")
PAGES = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
TEXT = "\n".join(page.read_text("utf-8") for page in PAGES)


def test_every_relative_link_leads_somewhere():
    """Also those that Sphinx does not see: of the README, to files that are no pages."""
    links = [
        (page, link)
        for page in PAGES
        for link in re.findall(
            r"\]\((?!\w+:|#)([^)#]+)", re.sub(r"`[^`\n]*`", "", page.read_text("utf-8"))
        )
    ]

    assert len(links) > 100
    assert [(page, link) for page, link in links if not (page.parent / link).exists()] == []


def test_every_link_to_a_heading_finds_it():
    links = [
        (page, path, anchor)
        for page in PAGES
        for path, anchor in re.findall(r"\]\((?!\w+:)([^)#]*)#([^)]+)\)", page.read_text("utf-8"))
    ]

    assert len(links) > 100
    assert [
        (page.name, path, anchor)
        for page, path, anchor in links
        if anchor not in anchors(page.parent / path if path else page)
    ] == []


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    text = re.sub(r"^(`{3,}).*?^\1", "", page.read_text("utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_command_of_make_exists():
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"`make ([a-z0-9-]+)[ `]", TEXT))

    assert len(named) > 10
    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_every_setting_is_documented():
    page = (ROOT / "docs" / "configuration.md").read_text()
    modules = Path(msgbook.config.__file__).parent.glob("*.py")
    source = "".join(module.read_text() for module in modules)
    variables = set(re.findall(r'"((?:OPENAI|MSGBOOK)_[A-Z_]+)"', source))
    keys = TOP_KEYS.keys() | PROVIDER_KEYS.keys()

    assert len(variables) >= 4
    assert [name for name in variables | keys if name not in page] == []


def test_every_verb_of_the_command_exists(verbs: set[str]):
    shells = "".join(re.findall(r"^```(?:sh|console)\n(.*?)^```$", TEXT, re.M | re.S))
    named = {
        *re.findall(r"`msgbook ([a-z][a-z-]+)", TEXT),
        *re.findall(r"^(?:\$ )?msgbook ([a-z][a-z-]+)", shells, re.MULTILINE),
    }

    assert named - verbs == set()


@pytest.fixture(scope="module")
def verbs() -> set[str]:
    """The verbs that `msgbook --help` lists."""
    shown = io.StringIO()
    with redirect_stdout(shown), suppress(SystemExit):
        main(["--help"])
    return set(re.findall(r"^    ([a-z-]+)(?= |$)", shown.getvalue(), re.MULTILINE))


def test_the_readme_is_one_screen_and_a_half():
    assert len(README.split()) < 500
    assert len(README.splitlines()) <= 90


def test_the_readme_shows_a_message_file_as_the_writer_writes_it(fences):
    (example,) = fences
    nb = reads(example.body)

    assert writes(nb) == write_anew(nb, verbatim=False) == example.body
    assert check(example.body) == []
    assert [len(cell.outputs) for cell in nb.cells] == [1]


def test_the_manual_lists_every_page_once_and_the_readme_names_the_manual():
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    listed = re.findall(r"^- \[.+?\]\(([\w-]+\.md)\)", INDEX, re.MULTILINE)

    assert "(docs/index.md)" in README
    assert sorted(listed) == sorted(pages - {"index.md"})


def test_the_glossary_has_at_most_40_terms_and_no_term_is_a_word_to_avoid():
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| (?!term|---)(.+?) \| .+? \|(.*)\|$", page, re.MULTILINE)
    terms = {term for names, _ in rows for term in names.split(", ")}
    avoided = {
        word.strip() for _, words in rows for word in re.sub(r"\(.*?\)", "", words).split(",")
    }

    assert 30 < len(rows) <= 40
    assert terms & avoided == set()
