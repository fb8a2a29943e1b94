"""PDFs: the tool `read` and references give the text of their pages, within bounds, and say what is missing."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from file_calls import FileCalls
from pdfs import BROKEN as BROKEN_PAGE
from pdfs import SLOW as SLOW_PAGE
from pdfs import bomb, encrypted, pdf

import msgbook
import msgbook_format
from msgbook.approval import Roots
from msgbook.request.context.files import FileSources
from msgbook.request.context.sources import ReferencedText, SourceError
from msgbook.request.context.tags import Lines
from msgbook.tools.files.documents import DocumentError, import_paths, read_isolated

THREE = pdf("First page\nwith two lines", "Second page", "Third page")


def referenced(folder: Path, path: str, pages: Lines | None = None) -> ReferencedText:
    return asyncio.run(FileSources(Roots(folder)).read(path, pages, nested=False))


@pytest.fixture
def files(tmp_path: Path) -> FileCalls:
    (tmp_path / "a.pdf").write_bytes(THREE)
    return FileCalls(tmp_path)


def test_read_gives_the_text_by_pages(files):
    assert files.run("read", path="a.pdf") == (
        "[page 1]\nFirst page\nwith two lines\n\n[page 2]\nSecond page\n\n[page 3]\nThird page\n[pages 1 to 3 of 3]"
    )
    assert files.run("read", path="a.pdf", start=2, end=2) == "[page 2]\nSecond page\n[page 2 of 3]"
    assert files.run("read", path="a.pdf", start=2, end=9).endswith("[pages 2 to 3 of 3]")
    assert "a.pdf is a PDF: the document has 3 pages." in files.error("read", path="a.pdf", start=4)


def test_a_reference_without_documents_sends_the_text_of_pages(files, tmp_path):
    assert referenced(tmp_path, "a.pdf").text.startswith("[page 1]\nFirst page")
    assert referenced(tmp_path, "a.pdf").note == ""
    assert referenced(tmp_path, "a.pdf", Lines(3, 3)).text == "[page 3]\nThird page"
    assert (
        referenced(tmp_path, "a.pdf", Lines(2, 3)).text
        == "[page 2]\nSecond page\n\n[page 3]\nThird page"
    )
    with pytest.raises(SourceError, match="the document has 3 pages"):
        referenced(tmp_path, "a.pdf", Lines(4, 5))


def test_what_makes_a_pdf_is_its_content_not_its_name(tmp_path):
    (tmp_path / "paper").write_bytes(THREE)
    (tmp_path / "b.pdf").write_text("no PDF")

    assert "[page 1]" in referenced(tmp_path, "paper").text
    assert referenced(tmp_path, "b.pdf").text == "no PDF"


BROKEN = {
    "encrypted": (encrypted, "needs a password"),
    "cut off": (lambda: THREE[:200], "it is broken"),
    "only a beginning": (lambda: b"%PDF-1.7", "it is broken"),
    "pages in a circle": (lambda: THREE.replace(b"/Kids [5 0 R", b"/Kids [2 0 R"), "cyclic"),
    "one broken page": (lambda: pdf(BROKEN_PAGE), "it is broken, or unpacks to too much"),
    "not one": (lambda: b"%PDF-1.7\n" + b"\xff" * 5000, "it is broken"),
    "a bomb": (lambda: bomb(400_000_000), "it is broken, or unpacks to too much"),
}


@pytest.mark.parametrize(("make", "words"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_is_said(tmp_path, make, words):
    (tmp_path / "x.pdf").write_bytes(make())

    with pytest.raises(SourceError, match=words):
        referenced(tmp_path, "x.pdf")
    assert words in FileCalls(tmp_path).error("read", path="x.pdf")


def test_a_page_that_cannot_be_read_costs_no_other(tmp_path):
    (tmp_path / "x.pdf").write_bytes(pdf("One", BROKEN_PAGE, "Three"))

    found = referenced(tmp_path, "x.pdf")

    assert found.text.startswith("[page 1]\nOne\n\n[page 2 cannot be read: ")
    assert found.text.endswith("]\n\n[page 3]\nThree")
    assert found.note == "1 page that cannot be read"
    with pytest.raises(SourceError, match="unpacks to too much"):
        referenced(tmp_path, "x.pdf", Lines(2, 2))


def test_the_pages_before_one_that_takes_too_long_are_sent(tmp_path):
    (tmp_path / "x.pdf").write_bytes(pdf("One", SLOW_PAGE, "Three"))

    with (tmp_path / "x.pdf").open("rb") as file:
        reply = read_isolated("pdf", file.fileno(), seconds=10, first=1, last=3, limit=1000)
        with pytest.raises(DocumentError, match=r"too long|longer than"):
            read_isolated("pdf", file.fileno(), seconds=10, first=2, last=3, limit=1000)

    assert (reply["text"], reply["last"], reply["why"]) == ("[page 1]\nOne", 1, "time")


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-8],
        lambda data: data[: data.rindex(b"startxref")],
        lambda data: data.replace(b"startxref", b"startxxxx"),
        lambda data: data[: data.rindex(b"xref\n0") + 40],
    ],
)
def test_a_pdf_without_its_end_is_read_and_said_to_be_damaged(tmp_path, damage):
    (tmp_path / "x.pdf").write_bytes(damage(THREE))

    found = referenced(tmp_path, "x.pdf")

    assert found.text == referenced_text(tmp_path, THREE)
    assert found.note == "the file is damaged or cut off, so pages may be missing"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.replace(b"00000 n", b"00001 n").replace(b"\n00000000", b"\n00000001"),
        lambda data: data.replace(b"/Root 1 0 R", b"/Root 99 0 R"),
        lambda data: data.replace(
            b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % data.rindex(b"xref\n0")
        ),
        lambda data: data.replace(b"xref\n0 9", b"xref\n0 999999999"),
        lambda data: data.replace(b"/Count 3", b"/Count 1000000000"),
        lambda data: data.replace(b"/Count 3", b"/Count -3"),
        lambda data: data.replace(b"/Count 3", b"/Count (x)"),
        lambda data: data + bytes(5_000_000),
    ],
)
def test_a_table_that_is_wrong_changes_nothing(tmp_path, damage):
    (tmp_path / "x.pdf").write_bytes(damage(THREE))

    assert referenced(tmp_path, "x.pdf").text == referenced_text(tmp_path, THREE)


def referenced_text(folder: Path, data: bytes) -> str:
    (folder / "whole.pdf").write_bytes(data)
    return referenced(folder, "whole.pdf").text


def test_characters_that_no_text_has_are_marked(tmp_path):
    (tmp_path / "x.pdf").write_bytes(pdf(b"BT /F1 12 Tf 20 280 Td (a\\000b\\033[31mc) Tj ET"))

    assert referenced(tmp_path, "x.pdf").text == "[page 1]\na\ufffdb\ufffd[31mc"


def test_pages_without_text_are_said(tmp_path):
    (tmp_path / "scan.pdf").write_bytes(pdf(b"q Q", b"q Q"))

    found = referenced(tmp_path, "scan.pdf")

    assert found.text == "[page 1: no text]\n\n[page 2: no text]"
    assert found.note == "2 pages without text, which may be pictures or scans"
    assert "2 pages without text" in FileCalls(tmp_path).run("read", path="scan.pdf")


def test_of_a_long_document_the_first_pages_are_sent_and_it_is_said_how_to_get_more(tmp_path):
    (tmp_path / "long.pdf").write_bytes(
        pdf(*(f"page {n} " + "word " * 200 for n in range(1, 5001)))
    )

    found = referenced(tmp_path, "long.pdf")

    last = found.text.count("[page ")
    assert 10 < last < 300
    assert len(found.text) <= 190_000
    assert f"only pages 1 to {last} of 5,000" in found.note
    assert f"write @[long.pdf:{last + 1}:{last * 2}]" in found.note
    assert referenced(tmp_path, "long.pdf", Lines(4999, 5000)).text.startswith(
        "[page 4999]\npage 4999"
    )
    shown = FileCalls(tmp_path).run("read", path="long.pdf")
    assert len(shown) < 20_000
    assert "of 5,000; go on with start=" in shown


def test_a_document_that_takes_too_long_is_refused(tmp_path):
    (tmp_path / "slow.pdf").write_bytes(bomb(70_000_000))

    with (
        (tmp_path / "slow.pdf").open("rb") as file,
        pytest.raises(DocumentError, match=r"too long|longer than 1 s"),
    ):
        read_isolated("pdf", file.fileno(), seconds=1, first=1, last=1, limit=1000)


def test_no_alarm_interrupts_the_reply(tmp_path):
    (tmp_path / "a.pdf").write_bytes(THREE)
    code = (
        f"import io, signal, sys; sys.path += {import_paths()!r}\n"
        "from msgbook.tools.files.documents import main\n"
        "class Output(io.StringIO):\n"
        "    def write(self, reply):\n"
        "        sys.__stdout__.write(str(signal.getitimer(signal.ITIMER_REAL)[0]))\n"
        "sys.stdout = Output()\n"
        "main({'kind': 'pdf', 'seconds': 20, 'first': 1, 'last': 3, 'limit': 1000})\n"
    )

    with (tmp_path / "a.pdf").open("rb") as file:
        command = [sys.executable, "-I", "-S", "-c", code]
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)

    assert done.stdout == "0.0"


def test_without_pypdf_it_is_said_what_to_install(tmp_path):
    (tmp_path / "a.pdf").write_bytes(THREE)
    own = [str(Path(package.__file__).parent.parent) for package in (msgbook, msgbook_format)]
    code = (
        f"import sys; sys.path += {own!r}\n"
        "from pathlib import Path\n"
        "from msgbook.approval.roots import Roots\n"
        "from msgbook.tools.files import read_pdf\n"
        f"try: read_pdf(Roots(Path({str(tmp_path)!r})), Path({str((tmp_path / 'a.pdf').resolve())!r}), 1, 1, 9)\n"
        "except Exception as error: print(error)\n"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == 'the text of PDFs needs another package: pip install "msgbook[pdf]"\n'


def test_rights_are_those_of_any_other_file(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "a.pdf").write_bytes(THREE)
    (project / "linked.pdf").symlink_to(tmp_path / "a.pdf")

    with pytest.raises(SourceError, match="needs approval"):
        referenced(project, "linked.pdf")
    assert FileCalls(project).approval_request("read", path="linked.pdf").path == str(
        (tmp_path / "a.pdf").resolve()
    )
