"""An agent with allowed_uris reads nothing else without approval, by any path."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import fake_ripgrep
import pytest
from file_calls import FileCalls
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from msgbook.approval import ApprovalRequiredError, Roots
from msgbook.errors import ToolError
from msgbook.tools import FileTools
from msgbook.tools.files import read_file, walk

LEFT_OUT = "the text of a file that is left out"
NOTE = "[only what the agent's allowed_uris allow was searched; other folders can be named]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_tree(tmp_path)


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    return make_tree(tmp_path_factory.mktemp("tree"))


def make_tree(parent: Path) -> Path:
    """A project of which `src` and `docs/guide` are to be allowed; returns its folder."""
    root = parent / "project"
    for path in ("src/a.py", "src/deep/b.py", "docs/guide/c.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("inside\n")
    for path in ("d.txt", "docs/e.md", "src2/f.py", "src/.env", ".env", "../outside.txt"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{LEFT_OUT}\n")
    (root / "src" / "out").symlink_to("../docs")
    (root / "src" / "out.md").symlink_to("../docs/e.md")
    (root / "src" / "far").symlink_to("../..")
    (root / "into").symlink_to("src")
    (root / "into.py").symlink_to("src/a.py")
    return root


def held(folder: Path, **more) -> FileCalls:
    return FileCalls(folder, allowed=[folder / "src", folder / "docs" / "guide"], **more)


@pytest.mark.parametrize(
    "path", ["src/a.py", "src/deep/../a.py", "docs/guide/c.md", "into/a.py", "into.py", "src/out/guide/c.md"],
)  # fmt: skip
def test_reading_what_really_is_in_an_allowed_folder_needs_no_approval(folder, path):
    assert held(folder).run("read", path=path) == "inside\n"
    assert held(folder).run("grep", path=path, pattern="inside").endswith(":1:inside")


@pytest.mark.parametrize(
    "path", ["d.txt", "docs/e.md", "docs", ".", "src2/f.py", "src2", "src/../d.txt", "src/out.md",
             "src/out/e.md", "src/out", "{root}/d.txt", "src/far/project/d.txt", "none"],
)  # fmt: skip
def test_what_is_left_out_has_to_be_allowed(folder, path):
    path = path.format(root=folder)
    real = (folder / path).resolve()

    needed = held(folder).approval_request("read", path=path)

    assert needed.reason == f"it is outside the folders that this agent may use: {real}"
    assert not needed.always_asks


def test_what_is_left_out_is_read_when_somebody_allows_it(folder):
    assert held(folder).run_approved("read", path="d.txt") == f"{LEFT_OUT}\n"
    assert held(folder).run_approved("glob", pattern="*", path="src2") == "src2/f.py"
    assert LEFT_OUT in held(folder).run_approved("grep", pattern="text", path="src2")


def test_no_folder_allows_nothing(folder):
    blobs = folder / ".msgbook" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / ("a" * 64)).write_text("kept")
    files = FileCalls(folder, blobs=blobs, allowed=[])

    for path in ("src/a.py", "d.txt", ".", "none"):
        assert "that this agent may use" in files.approval_request("read", path=path).reason
    assert files.approval_request("glob", pattern="*")
    assert files.approval_request("grep", pattern=".")
    assert files.run("read", path=f".msgbook/blobs/{'a' * 64}") == "kept"


def test_one_file_can_be_allowed(folder):
    files = FileCalls(folder, allowed=[folder / "docs" / "e.md"])

    assert LEFT_OUT in files.run("read", path="docs/e.md")
    assert files.approval_request("read", path="docs/guide/c.md")
    assert files.run("glob", pattern="**").split("\n") == ["docs/", "docs/e.md", NOTE]


def test_secrets_need_approval_all_the_same(folder):
    inside = held(folder).approval_request("read", path="src/.env")
    beside = held(folder).approval_request("read", path=".env")
    named = FileCalls(folder, allowed=[folder / ".env"]).approval_request("read", path=".env")

    assert inside.always_asks
    assert beside.always_asks
    assert named.always_asks
    assert "that this agent may use and it may hold a secret" in beside.reason
    assert LEFT_OUT not in held(folder).run("grep", pattern="text")


def test_an_allowed_folder_outside_the_notebooks_folder_needs_approval(folder):
    files = FileCalls(folder, allowed=[folder.parent, Path("/")])

    needed = files.approval_request("read", path="../outside.txt")

    assert needed.reason.startswith("it is outside the notebook's folder")
    assert files.approval_request("glob", pattern="*", path="..")


def test_in_the_home_directory_an_allowed_folder_needs_approval_too(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))

    assert "home directory" in held(folder).approval_request("read", path="src/a.py").reason
    assert "home directory" in held(folder).approval_request("glob", pattern="*").reason


def test_private_folders_are_not_searched_for_what_is_allowed_in_them(folder):
    files = FileCalls(folder, [folder / "docs"], allowed=[folder / "docs" / "guide"])

    assert files.approval_request("glob", pattern="*", path="docs").always_asks
    assert files.approval_request("read", path="docs/guide/c.md").always_asks


def test_glob_shows_what_is_allowed_and_the_way_to_it(folder):
    found = held(folder).run("glob", pattern="**").split("\n")

    assert found == [
        "docs/", "docs/guide/", "docs/guide/c.md", "src/", "src/.env", "src/a.py", "src/deep/",
        "src/deep/b.py", "src/far", "src/out", "src/out.md", NOTE,
    ]  # fmt: skip
    assert held(folder).run("glob", pattern="*", path="docs").split("\n") == ["docs/guide/", NOTE]
    assert held(folder).run("glob", pattern="*.py", path="src") == "src/a.py"


@pytest.mark.parametrize("with_ripgrep", [False, True])
def test_grep_searches_what_is_allowed(folder, tmp_path, with_ripgrep):
    program = fake_ripgrep.install(tmp_path) if with_ripgrep else None

    found = held(folder, ripgrep=program).run("grep", pattern=".").split("\n")

    files = {line.partition(":")[0] for line in found[:-1]}
    assert files == {"docs/guide/c.md", "src/a.py", "src/deep/b.py"}
    assert found[-1] == NOTE


@pytest.mark.parametrize(
    ("tool", "more"),
    [("write", {"content": "x"}), ("edit", {"old": "text", "new": "x"}), ("mkdir", {})],
)
def test_writes_to_what_is_left_out_are_asked_about_each_time(folder, tool, more):
    path = "docs/new" if tool == "mkdir" else "docs/e.md"

    needed = held(folder).approval_request(tool, path=path, **more)
    failing = held(folder).approval_request("edit", path="docs/e.md", old="not there", new="x")

    assert needed.always_asks
    assert needed.reason.endswith(
        f"{folder / path}, and it is outside the folders that this agent may use"
    )
    # Whether a text stands in the file is not revealed.
    assert "would fail" in failing.preview
    assert not held(folder).approval_request("write", path="src/new.py", content="x").always_asks


_PIECES = [".", "..", "src", "docs", "guide", "deep", "out", "far", "project", "into", "src2", "a.py",
           "b.py", "c.md", "d.txt", "e.md", "f.py", "out.md", "into.py", ".env", "outside.txt", "**",
           "SRC", "none"]  # fmt: skip
PATHS = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=6).map("/".join)
FOLDERS = st.lists(
    st.sampled_from(["src", "src/deep", "docs/guide", "src/a.py", "none"]), max_size=3
)


def _beginnings(path):
    """Return a path and the paths of the folders on the way to it."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


CALLS = st.sampled_from(
    [
        ("read", {}),
        ("grep", {"pattern": "."}),
        ("glob", {"pattern": "**"}),
        ("edit", {"old": "text", "new": "x"}),
    ]
)


@given(allowed=FOLDERS, path=PATHS, call=CALLS)
@example(allowed=["src"], path="src/e.md/src", call=("read", {}))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_argument_shows_what_is_left_out(tree, allowed, path, call):
    files = FileCalls(tree, allowed=[tree / name for name in allowed])
    tool, more = call

    reply = files.reply(tool, path=path, **more)

    shown = json.dumps({key: value for key, value in reply.items() if key != "approval_request"})
    assert LEFT_OUT not in shown
    real = (tree / path).resolve()
    # What was asked for is named, or a folder on the way to it, by its real path where that needs no approval.
    named = {*_beginnings(path), *_beginnings(os.path.relpath(real, tree))}
    for name in sorted(named, key=len, reverse=True):
        shown = shown.replace(name, "")
    assert "e.md" not in shown
    readable = any(real.is_relative_to(tree / name) for name in allowed)
    if tool == "read" and not readable:
        assert "approval_request" in reply


def test_a_folder_that_is_swapped_for_a_link_after_the_check_is_not_followed(folder):
    roots = Roots(folder, allowed=[folder / "docs" / "guide"])
    real = roots.resolve("docs/guide/c.md")
    assert roots.check_read(real) is None
    (folder / "docs" / "guide").rename(folder / "was")
    (folder / "docs" / "guide").symlink_to(folder / "src")

    with pytest.raises(ToolError):
        read_file(roots, real, 100)
    # From now on the name means what is left out.
    assert roots.check_read(roots.resolve("docs/guide/a.py")) is not None


def test_workers_hold_each_agent_to_its_own_folders(folder):
    async def run() -> list[str]:
        files = FileTools(folder)
        replies = []
        try:
            for allowed in (None, [folder / "src"], [], [folder / "docs"]):
                read = next(tool for tool in files.narrow_to(allowed) if tool.name == "read")
                for path in ("src/a.py", "docs/e.md"):
                    try:
                        replies.append(await read.call(json.dumps({"path": path})))
                    except ApprovalRequiredError:
                        replies.append("asks")
        finally:
            await files.close()
        return replies

    inside, left_out = "inside\n", f"{LEFT_OUT}\n"
    assert asyncio.run(run()) == [
        inside, left_out, inside, "asks", "asks", "asks", "asks", left_out,
    ]  # fmt: skip


def test_a_walk_leaves_out_what_is_hidden_with_all_below_it(folder):
    roots = Roots(folder)

    found = [path for path, _ in walk(roots, folder, lambda path, kind: path in ("src", "d.txt"))]

    assert found == [
        ".env", "docs", "into", "into.py", "src2", "docs/e.md", "docs/guide", "docs/guide/c.md", "src2/f.py",
    ]  # fmt: skip


def test_a_walk_ends_at_its_limit(folder):
    with pytest.raises(ToolError, match="more than 2 folders"):
        list(walk(Roots(folder), folder, limit=2))


def test_readable_paths_are_sorted_relative_to_the_folder_and_none_is_below_another(folder):
    roots = Roots(folder)
    docs, other = folder / "docs", folder / "docsy"

    assert roots.list_readable_paths() == ["."]
    several = roots.narrow_to([other, docs / "a", docs, docs])
    assert several.list_readable_paths() == ["docs", "docsy"]
    assert roots.narrow_to([docs, folder]).list_readable_paths() == ["."]
    assert roots.narrow_to([folder / ".env", folder.parent]).list_readable_paths() == []
    assert roots.narrow_to([]).list_readable_paths() == []


def test_no_private_path_is_free(folder):
    assert Roots(folder, [folder]).list_readable_paths() == []
    assert Roots(folder, [folder / "own"], allowed=[folder / "own"]).list_readable_paths() == []
