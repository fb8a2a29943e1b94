"""The manual: it is built without a warning, and what comes from the code is in it."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from msgbook.__main__ import VERBS
from msgbook.config import LIMIT_KEYS

OPTIONS = ["-b", "html", "-q", "-W", "--keep-going"]
DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built manual."""
    built = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *OPTIONS, DOCS, built],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return built


def test_every_page_is_built_without_a_warning(site: Path) -> None:
    pages = {page.stem for page in DOCS.glob("*.md")}

    assert pages - {page.stem for page in site.glob("*.html")} == set()


def test_the_reference_has_every_verb_every_limit_and_the_keys_of_a_turn(site: Path) -> None:
    options, settings, turn, python = (
        (site / "_generated" / f"{name}.html").read_text("utf-8")
        for name in ("options", "settings", "turn", "python")
    )

    assert [verb.name for verb in VERBS if f"msgbook {verb.name}<" not in options] == []
    assert [key for key in LIMIT_KEYS if key not in settings] == []
    assert "request_hash" in turn
    assert "No text raises an error" in python


def test_a_link_out_of_the_folder_leads_to_a_page_of_the_manual(site: Path) -> None:
    assert 'href="_generated/security.html"' in (site / "index.html").read_text("utf-8")
    assert 'href="../tools.html' in (site / "_generated" / "security.html").read_text("utf-8")
    assert 'href="security.html"' in (site / "_generated" / "changelog.html").read_text("utf-8")


def test_the_menu_is_made_from_the_lists_of_the_index() -> None:
    menus = runpy.run_path(str(DOCS / "generated_pages.py"))["menus"]

    assert menus("# A\n\n## Do\n\n- [x](y.md): z\n", {"Do": ["T <t>"]}) == (
        "\n```{toctree}\n:caption: Do\n:hidden:\n\ny\nT <t>\n```\n"
    )
