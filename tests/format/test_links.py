"""A path with its links followed is the same on all versions of Python."""

from __future__ import annotations

import errno

import pytest

from msgbook_format.links import real_path


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path.resolve()
    (folder / "real").mkdir()
    (folder / "real" / "file").write_text("x")
    (folder / "link").symlink_to("real")
    (folder / "nowhere").symlink_to("none")
    (folder / "itself").symlink_to("itself")
    (folder / "deeper").symlink_to("deeper/x")
    (folder / "one").symlink_to("other")
    (folder / "other").symlink_to("one")
    return folder


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("real/file", "real/file"),
        ("link/file", "real/file"),
        ("link/../link/./file", "real/file"),
        ("link/none/x", "real/none/x"),
        ("nowhere/x", "none/x"),
        ("real/file/x", "real/file/x"),
        ("x" * 300, "x" * 300),
    ],
)
def test_links_are_followed_and_what_is_behind_them_need_not_exist(folder, path, real):
    assert real_path(folder / path) == folder / real


@pytest.mark.parametrize("path", ["itself", "itself/x", "deeper", "one", "other/a/b"])
def test_a_loop_of_links_is_an_os_error(folder, path):
    with pytest.raises(OSError, match="symbolic links") as caught:
        real_path(folder / path)

    assert (caught.value.errno, caught.value.filename) == (errno.ELOOP, str(folder / path))


@pytest.mark.parametrize("path", ["a\0b", "itself\0", "\ud800"])
def test_what_no_path_can_hold_is_a_value_error(folder, path):
    with pytest.raises(ValueError, match=r"null|surrogates"):
        real_path(folder / path)
