"""Nothing outside the roots, and no secret, is opened without approval, by any path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from file_calls import FileCalls
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.text import visible
from msgbook.tools.files import read_file
from msgbook.tools.files.opening import open_folder

MARK = "the text of an outside file"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_tree(tmp_path)


def make_tree(parent: Path) -> Path:
    """A project with links out of it in every form; returns its folder."""
    root = parent / "project"
    (root / "sub").mkdir(parents=True)
    (parent / "outside").mkdir()
    for path in ("outside.txt", "outside/a.txt", "outside/.env"):
        (parent / path).write_text(MARK)
    (root / "a.txt").write_text("inside")
    (root / ".env").write_text(MARK)
    (root / "sub" / "b.txt").write_text("inside")
    (root / "link").symlink_to("../outside.txt")
    (root / "up").symlink_to("..")
    (root / "sub" / "root").symlink_to("/")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to("../outside/new")
    return root


@pytest.mark.parametrize(
    "road",
    ["../outside.txt", "link", "up/outside.txt", "..", "/", "sub/../../outside.txt", "up/project/up",
     "{outside}", "/proc/self/root/{outside}", "/proc/self/cwd/x", "sub/root/etc/passwd", "dangling",
     "//{outside}", "a.txt/../../outside.txt", "~root/../../outside.txt", "sub/root{outside}"],
)  # fmt: skip
def test_everything_outside_needs_approval_by_any_path(folder, road):
    path = road.format(outside=folder.parent / "outside.txt")
    files = FileCalls(folder)

    for tool, more in (("read", {}), ("grep", {"pattern": "."}), ("glob", {"pattern": "*"})):
        needed = files.approval_request(tool, path=path, **more)
        assert needed.reason.startswith("it is outside the notebook's folder")


@pytest.mark.parametrize(
    "path", ["file:///etc/passwd", "FILE:a.txt", "File://localhost/etc/passwd", "https://x/y", "",
             "a.txt\0", "\0", "x" * 5000, "loop", "\ud800"],
)  # fmt: skip
def test_what_is_no_path_of_a_file_is_refused(folder, path):
    assert FileCalls(folder).error("read", path=path)


@pytest.mark.parametrize(
    "name", ["．．/outside.txt", "..／outside.txt", "．．／outside.txt", "%2e%2e/outside.txt", "..\\outside.txt",
             "..\u202e/outside.txt", "\u2024\u2024/outside.txt", "~/outside.txt", "$HOME", "a.txt "],
)  # fmt: skip
def test_characters_that_look_like_others_name_nothing(folder, name):
    assert "No such file" in FileCalls(folder).error("read", path=name)


_PIECES = [".", "..", "a.txt", "sub", "link", "up", "root", "outside.txt", "outside", "project", ".env",
           "loop", "dangling", "", "~", "．．", "A.TXT", ".ENV", "file:", "b.txt", "proc/self/root",
           "proc/self/cwd", "*", "\u202e", "é", "e\u0301", "new"]  # fmt: skip
PATHS = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=7).map("/".join)


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_argument_opens_what_needs_approval(tmp_path_factory, tree, data):
    files = FileCalls(tree)
    prefix = data.draw(st.sampled_from(["", "/", str(tree), str(tree.parent)]))
    path = prefix + data.draw(PATHS)
    tool, more = data.draw(
        st.sampled_from(
            [
                ("read", {}),
                ("grep", {"pattern": "."}),
                ("edit", {"old": "text", "new": "x"}),
                ("write", {"content": MARK}),
            ]
        )
    )

    reply = files.reply(tool, path=path, **more)

    shown = {key: value for key, value in reply.items() if key != "approval_request"}
    assert MARK not in json.dumps(shown)
    assert str(tree.parent / "outside") not in str(reply.get("content", ""))
    # Nor is it revealed whether a text occurs in a file that needs approval.
    real = (tree / path).resolve() if "loop" not in path and "file:" not in path else tree
    if tool == "edit" and not real.is_relative_to(tree):
        assert "approval_request" in reply or reply["error"].endswith("give that of a file.")


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    return make_tree(tmp_path_factory.mktemp("tree"))


@pytest.mark.parametrize(
    "name", [".env", ".env.local", "server.pem", "server.KEY", "id_rsa", ".netrc", ".ssh/config",
             ".aws/credentials", ".git/config", "sub/.env", ".npmrc", ".docker/config.json",
             ".git/modules/x/config", ".GIT/Config", "bare.git/config", ".EnV", "．env", ".e\u200cnv",
             ".ｅｎｖ", "id_rsa. ", "x.pem::$DATA", ".Ssh/x"],
)  # fmt: skip
def test_what_may_hold_a_secret_is_asked_about_each_time(folder, name):
    (folder / name).parent.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(MARK)

    needed = FileCalls(folder).approval_request("read", path=name)

    assert needed.always_asks
    assert needed.reason == f"it may hold a secret: {visible(str(folder / name))}"
    assert FileCalls(folder).run_approved("read", path=name) == MARK


def test_a_secret_outside_is_known_by_every_part_of_its_path(folder):
    ours = FileCalls(folder).approval_request("read", path="/srv/.ssh/known_hosts")
    other = FileCalls(folder).approval_request("read", path="/srv/notes.txt")

    assert ours.always_asks
    assert not other.always_asks
    assert "outside the notebook's folder and it may hold a secret" in ours.reason


def test_the_name_of_a_folder_above_makes_nothing_secret(tmp_path):
    folder = tmp_path / "id_42" / ".ssh" / "project"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("inside")

    assert FileCalls(folder).run("read", path="a.txt") == "inside"
    assert FileCalls(folder).run("grep", pattern="inside") == "a.txt:1:inside"


def test_in_the_home_directory_and_at_the_root_everything_needs_approval(tmp_path, monkeypatch):
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (home / "project" / "a").write_text("inside")

    for folder in (home, tmp_path, Path("/")):
        files = FileCalls(folder)
        assert (
            "home directory"
            in files.approval_request("read", path=str(home / "project" / "a")).reason
        )
        assert files.approval_request("write", path=str(home / "b"), content="").always_asks
    assert FileCalls(home / "project").run("read", path="a") == "inside"


def test_private_folders_need_approval_even_inside(folder):
    (folder / "Jupyter").mkdir()
    (folder / "Jupyter" / "x").write_text(MARK)
    files = FileCalls(folder, [folder / "Jupyter"])

    assert files.approval_request("read", path="Jupyter/x").always_asks
    assert files.approval_request("read", path="Jupyter").always_asks
    assert files.run("grep", pattern="text") == "(nothing matches)"
    assert FileCalls(folder, [folder / "JUPYTER"]).approval_request("read", path="Jupyter/x")
    assert FileCalls(folder / "Jupyter", [folder]).approval_request("read", path="x").always_asks


def test_complete_results_need_no_approval_but_everything_beside_them_does(folder):
    project = folder.parent
    blobs = project / ".msgbook" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / ("a" * 64)).write_text("kept")
    (blobs / "other").write_text(MARK)
    (blobs / ("b" * 64)).symlink_to(project / "outside.txt")
    files = FileCalls(folder, blobs=blobs)

    assert files.run("read", path=f"../.msgbook/blobs/{'a' * 64}") == "kept"
    assert files.approval_request("read", path="../.msgbook/blobs/other")
    assert files.approval_request("read", path=f"../.msgbook/blobs/{'b' * 64}")


def test_a_blobs_folder_that_is_a_link_needs_approval(folder):
    (folder.parent / "outside" / ("a" * 64)).write_text(MARK)
    (folder / ".msgbook").mkdir()
    blobs = folder / ".msgbook" / "blobs"
    blobs.symlink_to(folder.parent / "outside")

    assert FileCalls(folder, blobs=blobs).approval_request(
        "read", path=f".msgbook/blobs/{'a' * 64}"
    )


def test_a_link_that_is_swapped_in_after_the_check_is_not_followed(folder):
    roots = Roots(folder)
    real = roots.resolve("a.txt")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(folder.parent / "outside.txt")

    with pytest.raises(ToolError):
        read_file(roots, real, 100)


def test_a_folder_that_is_swapped_for_a_link_after_the_check_is_not_followed(folder):
    (folder / "sub" / "outside.txt").write_text("inside")
    roots = Roots(folder)
    real = roots.resolve("sub/outside.txt")
    (folder / "sub").rename(folder / "was")
    (folder / "sub").symlink_to(folder.parent)

    with pytest.raises(ToolError):
        read_file(roots, real, 100)
    with pytest.raises(OSError, match="Not a directory"):
        open_folder(roots, real.parent)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counted on Linux")
def test_no_descriptor_is_left_open(folder):
    files = FileCalls(folder)
    before = len(list(Path("/proc/self/fd").iterdir()))

    for path in ("a.txt", "sub", "none/x", "loop", "sub/none", "link"):
        files.reply("read", path=path)
        files.reply("write", path=path, content="x")
        files.reply("grep", path=path, pattern=".")

    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.skipif(not Path("/proc/1").exists(), reason="Linux has it")
def test_an_approval_to_read_elsewhere_does_not_show_what_processes_were_started_with(folder):
    files = FileCalls(folder)

    for path in ("/proc/1/environ", "/proc/self/environ", "/proc"):
        assert files.approval_request("read", path=path).always_asks
    assert not files.approval_request("read", path="/usr").always_asks


def test_reasons_show_control_and_bidi_characters(folder):
    reason = FileCalls(folder).approval_request("read", path="/a\u202eb\x1bc\u2028\nd\te").reason

    assert reason.endswith("/a\\u202eb\\u001bc\\u2028\\nd\\te")
