"""The tools `write`, `edit` and `mkdir`: what they ask, and what is in the files then."""

from __future__ import annotations

import codecs
import stat
from pathlib import Path

import pytest
from file_calls import FileCalls
from hypothesis import example, given
from hypothesis import strategies as st

from msgbook.approval import ApprovalRequest
from msgbook.errors import ToolError
from msgbook.tools.files.writing import preview, replace_only, unified_diff


@pytest.fixture
def files(tmp_path: Path) -> FileCalls:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return FileCalls(tmp_path)


def test_a_write_asks_with_a_diff_and_then_does_exactly_that(files, tmp_path):
    arguments = {"path": "a.txt", "content": "one\n2\nthree\n"}

    needed = files.approval_request("write", **arguments)

    assert needed == ApprovalRequest(
        reason=f"it replaces the text of {tmp_path / 'a.txt'}",
        always_asks=False,
        path=str(tmp_path / "a.txt"),
        preview="--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    )
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert files.run_approved("write", **arguments) == "Wrote a.txt: 12 bytes."
    assert (tmp_path / "a.txt").read_text() == "one\n2\nthree\n"


def test_a_new_file_is_made_where_its_folder_is(files, tmp_path):
    assert files.run_approved("write", path="b.txt", content="x") == "Wrote b.txt: 1 byte."
    assert (tmp_path / "b.txt").read_text() == "x"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]
    assert files.error("write", path="no/b.txt", content="x") == (
        "There is no folder no; make it with mkdir."
    )
    assert "give that of a file" in files.error("write", path="b/", content="x")
    assert files.error("write", path=".", content="x") == ". is not a regular file."


def test_a_name_may_be_as_long_as_the_file_system_allows(files, tmp_path):
    name = "文" * 85

    assert files.run_approved("write", path=name, content="x") == f"Wrote {name}: 1 byte."
    assert (tmp_path / name).read_text() == "x"


def test_what_changed_between_the_question_and_the_deed_is_asked_about_again(files, tmp_path):
    arguments = {"path": "a.txt", "content": "new\n"}
    needed = files.approval_request("write", **arguments)
    (tmp_path / "a.txt").write_text("somebody else's\n")

    again = files.reply("write", needed, **arguments)["approval_request"]

    assert "-somebody else's" in again.preview
    assert (tmp_path / "a.txt").read_text() == "somebody else's\n"


def test_a_link_that_is_swapped_in_after_the_question_is_another_question(files, tmp_path):
    (tmp_path / "target").write_text("t\n")
    needed = files.approval_request("write", path="a.txt", content="new\n")
    (tmp_path / "a.txt").unlink()
    (tmp_path / "a.txt").symlink_to(tmp_path / "target")

    again = files.reply("write", needed, path="a.txt", content="new\n")["approval_request"]

    assert again.reason.endswith("/target")
    assert (tmp_path / "target").read_text() == "t\n"


@pytest.mark.parametrize("tool", ["write", "edit"])
def test_a_file_that_changed_since_it_was_read_is_not_changed(files, tmp_path, tool):
    arguments = {"write": {"content": "x"}, "edit": {"old": "two", "new": "2"}}[tool]
    files.run("read", path="a.txt")
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\nfour\n")

    assert files.error(tool, path="a.txt", **arguments) == (
        "a.txt has changed since you read it; read it again."
    )
    files.run("read", path="./a.txt")
    assert files.run_approved(tool, path="a.txt", **arguments)
    assert files.approval_request(tool, path="a.txt", **(arguments | {"old": "one"} if tool == "edit" else {"content": "y"}))  # fmt: skip


def test_mode_and_encoding_of_a_file_are_kept(files, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(codecs.BOM_UTF16_LE + "one\r\ntwo\r\n".encode("utf-16-le"))
    path.chmod(0o640)

    files.run_approved("write", path="a.txt", content="1\nzwölf\n")

    assert path.read_bytes() == codecs.BOM_UTF16_LE + "1\r\nzwölf\r\n".encode("utf-16-le")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_what_an_encoding_cannot_spell_changes_it_and_that_is_said(files, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9\n")

    needed = files.approval_request("write", path="a.txt", content="café ☕\n")
    files.run_approved("write", path="a.txt", content="café ☕\n")

    assert needed.preview.startswith("[encoding cp1252, guessed] -> [UTF-8, LF]\n--- a.txt\n")
    assert (tmp_path / "a.txt").read_text("utf-8") == "café ☕\n"


def test_line_ends_that_change_are_said(files, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a\r\nb\n")

    preview = files.approval_request("write", path="a.txt", content="a\nb\n").preview

    assert preview.startswith("[lines end with CRLF] -> [UTF-8, LF]\n")
    assert "-a\\r\n+a\n" in preview


def test_a_file_whose_lines_end_with_cr_keeps_them(files, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\rtwo\r")

    edited = files.run_approved("edit", path="a.txt", old="two\n", new="2\n3\n")
    assert edited == "--- a.txt\n+++ a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n"
    assert path.read_bytes() == b"one\r2\r3\r"
    files.run_approved("write", path="a.txt", content="x\ny\n")
    assert path.read_bytes() == b"x\ry\r"


def test_a_binary_file_is_replaced_only_in_sight(files, tmp_path):
    (tmp_path / "b").write_bytes(b"\0\1")

    assert "replaces a binary file of 2 bytes, sha256 " in (
        files.approval_request("write", path="b", content="x").preview
    )
    assert files.error("edit", path="b", old="x", new="y") == "b is a binary file."


def test_a_write_that_changes_nothing_and_one_that_is_not_allowed_by_its_mode_are_refused(
    files, tmp_path
):
    content = "one\ntwo\nthree\n"
    assert files.error("write", path="a.txt", content=content) == (
        "a.txt has exactly this content already."
    )
    (tmp_path / "a.txt").chmod(0o444)
    assert files.error("write", path="a.txt", content="x") == "a.txt is write-protected."
    assert "cannot encode" in files.error("write", path="c", content="\ud800")


def test_an_edit_gives_the_diff(files, tmp_path):
    result = files.run_approved("edit", path="a.txt", old="two\n", new="2\n2b\n")

    assert result == "--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n"
    assert (tmp_path / "a.txt").read_text() == "one\n2\n2b\nthree\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("four", "4", "`old` was not found in a.txt"),
        ("o", "0", "`old` occurs 2 times in a.txt (lines 1, 2); give more of the text"),
        ("", "x", "`old` is empty"),
        ("one", "one", "there is nothing to change"),
        ("t.o", "x", "was not found"),
    ],
)
def test_an_edit_that_is_not_clear_changes_nothing(files, tmp_path, old, new, said):
    assert said in files.error("edit", path="a.txt", old=old, new=new)
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_an_edit_needs_a_file(files):
    assert files.error("edit", path="no", old="a", new="b") == (
        "no: No such file; use write to make it."
    )


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("a\r\nb\r\n", "a\nb", "x\ny", "x\r\ny\r\n"),
        ("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n"),
        ("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"),
        ("a\r\nb\nc", "c", "x\ny", "a\r\nb\nx\ny"),
        ("a\r\nb\nc", "a", "x\ny", "x\r\ny\r\nb\nc"),
        ("a\r\nb\nc", "\nb\n", "\n", "a\r\nc"),
        ("abc", "b", "\n", "a\nc"),
        ("\ra", "a", "b\n", "\rb\r"),
        ("a\rb\rc\r", "a\nb", "x\ny\r\nz", "x\ry\rz\rc\r"),
        ("a\rb\rc\n", "c", "x\ny", "a\rb\rx\ny\n"),
    ],
)
def test_line_ends_of_the_place_are_kept(before, old, new, after):
    assert replace_only(before, old, new, "f") == after


MIXED = st.lists(st.sampled_from(["a", "b", "\n", "\r\n"])).map("".join)


@given(MIXED, st.text("ab\n", min_size=1), st.text("xy\n"))
def test_an_edit_touches_nothing_around_its_place(text, old, new):
    plain = text.replace("\r\n", "\n")
    try:
        after = replace_only(text, old, new, "f")
    except ToolError:
        return

    assert after.replace("\r\n", "\n") == plain.replace(old, new, 1)


def test_places_that_overlap_count_as_several():
    with pytest.raises(ToolError, match="occurs 2 times"):
        replace_only("aaa", "aa", "b", "f")


LINES = st.lists(st.sampled_from("abc"), max_size=30).map(
    lambda lines: "".join(x + "\n" for x in lines)
)


@given(LINES, LINES, st.sampled_from(["", "end"]))
@example("a\n" * 20, "a\n" * 21, "")
@example("a\n" * 21, "a\n" * 20, "end")
def test_a_diff_applied_to_the_old_text_gives_the_new_one(old, new, end):
    assert applied(unified_diff(old, new + end, "f"), old) == new + end


def test_the_diff_of_a_long_change_is_whole():
    old = "".join(f"{n}\n" for n in range(5000))
    new = "0\n" + "".join(f"x{n}\n" for n in range(5000)) + "4999\n"

    assert applied(unified_diff(old, new, "f"), old) == new


def applied(diff: str, old: str) -> str:
    """What `patch` makes of it."""
    before, after, at = old.splitlines(keepends=True), "", 0
    for line in diff.splitlines(keepends=True)[2:]:
        mark, text = line[0], line[1:]
        if mark == "@":
            start, _, length = line.split()[1][1:].partition(",")
            first = int(start) - (length != "0")
            after += "".join(before[at:first])
            at = first
        elif mark == "\\":
            after = after.removesuffix("\n")
        elif mark == "+":
            after += text
        else:
            assert before[at] == text
            at += 1
            after += text if mark == " " else ""
    return after + "".join(before[at:])


def test_a_preview_hides_nothing():
    shown = preview("a\n", "a\u202e\x1b[2J\r\n" + "x" * 100_000 + "\n", "f")

    assert "+a\\u202e\\u001b[2J\\r\n" in shown
    assert "+" + "x" * 100_000 + "\n" in shown


def test_a_preview_that_nobody_reads_says_so_first_and_changes_with_what_is_not_shown():
    shown = preview("a\n", "x" * 1_000_000 + "\n", "f")
    other = preview("a\n", "x" * 999_999 + "y\n", "f")

    assert shown.startswith("[Only 500000 of the 1000")
    assert len(shown) < 501_000
    assert shown != other


def test_folders_are_made_with_those_above(files, tmp_path):
    assert files.approval_request("mkdir", path="x/y") == ApprovalRequest(
        reason=f"it makes the folder {tmp_path / 'x/y'}",
        always_asks=False,
        path=str(tmp_path / "x/y"),
        preview="",
    )
    assert files.run_approved("mkdir", path="x/y") == "Made x/y/."
    assert (tmp_path / "x" / "y").is_dir()
    assert files.run("mkdir", path="x") == "x/ exists already."
    needed = files.approval_request("mkdir", path="a.txt")
    assert (
        files.reply("mkdir", needed, path="a.txt")["error"] == "a.txt exists and is not a folder."
    )


@pytest.mark.parametrize(
    "path", [".msgbook/config.toml", ".git/hooks/x", ".agents/s/SKILL.md", "AGENTS.md", "agents.MD",
             ".env", "x.pem", "sub/../.GIT/x"],
)  # fmt: skip
def test_what_steers_or_holds_secrets_is_asked_about_each_time(files, tmp_path, path):
    (tmp_path / "sub").mkdir()
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)

    assert files.approval_request("write", path=path, content="x").always_asks


def test_a_write_outside_is_asked_about_each_time_and_tells_the_model_nothing(files, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.write_text("secret\n")
    reason = f"{outside}, outside the notebook's folder"

    guess = files.approval_request("edit", path=str(outside), old="secret", new="x")
    wrong = files.approval_request("edit", path=str(outside), old="guess", new="x")
    nowhere = files.approval_request("write", path="/no/such/file", content="x")

    assert guess.reason == f"it changes {reason}"
    assert wrong.reason == f"it writes {reason}"
    assert "was not found" in wrong.preview
    assert "it would fail" in nowhere.preview
    assert guess.always_asks and wrong.always_asks and nowhere.always_asks  # noqa: PT018
