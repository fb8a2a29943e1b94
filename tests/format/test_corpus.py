"""The laws of the format over notebooks and Markdown that others published.

Run with `pytest -m corpus`. The newest source archives are fetched once, with pip and as pip is
configured, into pytest's cache; `--cache-clear` fetches them anew.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import warnings
from pathlib import Path
from random import Random

import nbformat
import pytest

from msgbook_format import reads, writes

from . import generate, laws

PROJECTS = ("jupytext", "nbclient", "nbconvert", "nbformat")

# Minutes, for pip asks each project's build system for its metadata.
pytestmark = [pytest.mark.corpus, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def corpus(request):
    """Folder with the sources of the projects."""
    archives = Path(request.config.cache.mkdir("corpus"))
    if len(list(archives.glob("*.tar.gz"))) < len(PROJECTS):
        download(archives)
    for archive in archives.glob("*.tar.gz"):
        folder = archives / archive.name.removesuffix(".tar.gz")
        if not folder.exists():
            with tarfile.open(archive) as tar:
                tar.extractall(archives, filter="data")
    return archives


def download(folder):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    names = ",".join(PROJECTS)
    subprocess.run(
        [*command, "--no-deps", "--no-binary", names, "--dest", str(folder), *PROJECTS], check=True
    )


def load(path):
    """The valid notebook in a file, of whatever version; None for any other."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            nb = nbformat.reads(path.read_text("utf-8"), nbformat.NO_CONVERT)
            nbformat.validate(nb)
    except Exception:  # the corpus holds broken notebooks on purpose, in many ways
        return None
    return nb


def saved(nb):
    """A notebook without what is never written: trust, and an empty cell at the end."""
    nb = laws.plain(nb)
    for cell in nb["cells"]:
        cell["metadata"].pop("trusted", None)
    if not laws.is_regular(nb):
        nb["cells"].pop()
    return nb


def check(nb):
    text = writes(nb)
    laws.assert_notebook_laws(saved(nb))
    assert writes(saved(nb)) == text
    laws.assert_text_laws(text)
    for place in laws.unanswered(reads(text))[:3]:
        answered = reads(text)
        laws.answer(answered, place, generate.turn_output(Random(place)))
        laws.assert_one_insertion(text, writes(answered))


def test_every_valid_notebook_obeys_all_laws(corpus, capsys):
    paths = sorted(corpus.glob("*/**/*.ipynb"))
    notebooks = {path: nb for path in paths if (nb := load(path)) is not None}
    older = [path for path, nb in notebooks.items() if nb.nbformat < 4]
    failures = {}
    for path, nb in notebooks.items():
        try:
            # What msgbook writes of an older notebook is what nbformat makes of it.
            check(nbformat.convert(nb, 4) if path in older else nb)
        except AssertionError as error:
            failures[path.name] = error
    with capsys.disabled():
        print(f"\n{len(notebooks)} valid notebooks of {len(paths)}, {len(older)} of them converted")

    assert failures == {}
    assert len(notebooks) > 100


def test_every_markdown_file_is_written_as_it_was_read(corpus, capsys):
    paths = sorted(corpus.glob("*/**/*.md"))
    for path in paths:
        text = path.read_bytes().decode(errors="replace")
        laws.assert_text_laws(text)
        laws.assert_content_survives(text)
    with capsys.disabled():
        print(f"\n{len(paths)} Markdown files")

    assert paths
