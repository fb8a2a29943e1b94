"""What a release consists of: one version, files that work where there is no Node.js, workflows that are well-formed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import msgbook

ROOT = Path(__file__).parents[2]


def release_notes(version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "release_notes.py"), version]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_release_on_github_shows_the_section_of_its_version_with_links_to_the_tag():
    notes = release_notes(msgbook.__version__).stdout

    assert re.findall(r"^#+ .+$", notes, re.MULTILINE)[0] == "### Added"
    assert re.findall(r"^## |^\[", notes, re.MULTILINE) == []
    assert f"/blob/v{msgbook.__version__}/docs/" in notes
    assert re.findall(r"\]\((?!https://)[^)]*\)", notes) == []


def test_a_version_without_a_section_is_not_released():
    done = release_notes("99.1")

    assert done.returncode == 1
    assert done.stderr == "CHANGELOG.md has no heading `## [99.1] - DATE`.\n"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(folder)]
    nowhere = {**os.environ, "PATH": str(folder)}
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env=nowhere)
    return next(folder.glob("*.tar.gz"))


def test_the_page_on_pypi_has_the_picture_and_the_links_of_the_tag(sdist: Path):
    with tarfile.open(sdist) as archive:
        info = archive.extractfile(f"msgbook-{msgbook.__version__}/PKG-INFO")
        assert info is not None
        page = info.read().decode("utf-8")

    tag = f"v{msgbook.__version__}"
    assert re.search(rf"!\[[^\]]+\]\(https://[^)]+/raw/{tag}/docs/images/[^)]+\)", page)
    assert re.search(rf"[^!]\[Tutorial\]\(https://[^)]+/blob/{tag}/docs/tutorial.md\)", page)
    assert re.findall(r"\]\((?!https://)[^)]*\)", page) == []


def test_the_sdist_holds_the_built_extension_its_sources_and_the_tests(sdist: Path):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {
        "labextension/dist/static/style.js",
        "labextension/src/index.ts",
        "LICENSE",
        "CHANGELOG.md",
        "tests/test_release.py",
        "docs/format.md",
        "jupytext_format/msgbook_autoload.pth",
    } < names
    assert [n for n in names if n.startswith(("labextension/node_modules", "test-results"))] == []


def test_what_the_index_shows_of_the_sdist_is_well_formed(sdist: Path):
    command = [sys.executable, "-m", "twine", "check", "--strict", str(sdist)]

    checked = subprocess.run(command, capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stdout + checked.stderr
