"""Long results: the model gets head and tail, and the complete result is kept."""

from __future__ import annotations

import hashlib
import tracemalloc
from pathlib import Path

import pytest

from msgbook.images import IMAGE_LIMIT
from msgbook.tools import BLOB_LIMIT, Results
from msgbook.tools.results import RESULT_LIMIT

LONG = "".join(f"line {n} é\n" for n in range(10_000))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    root = tmp_path / "notes"
    root.mkdir()
    return root


def test_a_short_result_is_left_alone(folder):
    assert Results(folder).cap("x" * RESULT_LIMIT, approved=False) == "x" * RESULT_LIMIT
    assert not (folder.parent / ".msgbook").exists()


def test_a_long_result_keeps_head_and_tail_and_says_where_the_whole_is(folder):
    digest = hashlib.sha256(LONG.encode()).hexdigest()

    capped = Results(folder).cap(LONG, approved=False)

    head, note, tail = capped.partition(
        f"\n[... {len(LONG) - RESULT_LIMIT} characters are left out here; the complete result is in "
        f"../.msgbook/blobs/{digest}: read it with start and end, or use grep ...]\n"
    )
    assert note
    assert LONG.startswith(head)
    assert LONG.endswith(tail)
    assert len(head) + len(tail) == RESULT_LIMIT
    kept = folder.parent / ".msgbook" / "blobs" / digest
    assert kept.read_text("utf-8") == LONG
    assert kept.stat().st_mode & 0o777 == 0o600


def test_blobs_are_kept_out_of_git_and_the_users_own_file_is_left(folder):
    ignore = folder.parent / ".msgbook" / ".gitignore"

    Results(folder).cap(LONG, approved=False)
    assert ignore.read_text() == "blobs/\n"

    ignore.write_text("mine\n")
    Results(folder).cap(LONG + "x", approved=False)
    assert ignore.read_text() == "mine\n"
    assert len(list((folder.parent / ".msgbook" / "blobs").iterdir())) == 2


@pytest.mark.parametrize("link", [".msgbook", ".msgbook/blobs", ".msgbook/.gitignore"])
def test_no_link_leads_what_is_kept_elsewhere(folder, tmp_path_factory, link):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "ignored").touch()
    path = folder.parent / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(elsewhere / "ignored" if link.endswith("ignore") else elsewhere)

    capped = Results(folder).cap(LONG, approved=False)

    assert [entry.name for entry in elsewhere.iterdir()] == ["ignored"]
    assert (elsewhere / "ignored").read_text() == ""
    assert ("could not be kept: .msgbook/blobs: Not a directory" in capped) != link.endswith(
        "ignore"
    )


def test_a_folder_that_cannot_be_written_is_said(folder):
    (folder.parent / ".msgbook").mkdir()
    (folder.parent / ".msgbook" / "blobs").write_text("a file")

    assert "the complete result could not be kept: .msgbook/blobs: Not a dir" in Results(
        folder
    ).cap(LONG, approved=False)


def test_a_result_that_is_too_long_is_not_kept_and_that_is_said(folder):
    capped = Results(folder).cap("é" * (BLOB_LIMIT // 2 + 1), approved=False)

    assert "the complete result could not be kept: it has more than 50 MB" in capped
    assert list((folder.parent / ".msgbook" / "blobs").iterdir()) == []


def test_a_result_of_fifty_megabytes_costs_little_memory(folder):
    text = "x" * BLOB_LIMIT
    tracemalloc.start()
    try:
        Results(folder).cap(text, approved=False)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_parts_are_capped_together_and_images_stay(folder):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = [{"type": "text", "text": LONG}, image, {"type": "text", "text": LONG}, {"type": "x"}]

    first, second, third, fourth = Results(folder).cap(parts, approved=False)

    assert second == image
    assert fourth == {"type": "x"}
    assert len(first["text"]) + len(third["text"]) < RESULT_LIMIT + 1000
    assert Results(folder).cap([image, {"type": "text", "text": "short"}], approved=False) == [
        image,
        {"type": "text", "text": "short"},
    ]


def test_an_image_that_is_too_large_becomes_a_word(folder):
    url = "data:image/png;base64," + "A" * (IMAGE_LIMIT * 4 // 3 + 10)

    [part] = Results(folder).cap([{"type": "image_url", "image_url": {"url": url}}], approved=False)

    assert part["text"].startswith("[an image of about 50000")
