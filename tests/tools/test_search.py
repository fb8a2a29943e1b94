"""The tools `glob` and `grep`."""

from __future__ import annotations

import json
import re
import shutil
import stat
import sys
from pathlib import Path

import fake_ripgrep
import pytest
from file_calls import FileCalls

from msgbook.errors import ToolError
from msgbook.tools.files import matcher


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in {
        "a.py": "import os\nprint(os)\n",
        "src/b.py": "def b():\n    pass\n",
        "src/deep/c.md": "words\n",
        "node_modules/x.py": "import os\n",
        ".git/hooks/x.py": "import os\n",
        ".msgbook/x.py": "import os\n",
        "__pycache__/x.py": "import os\n",
        ".hidden.py": "import sys\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(params=["python", "ripgrep"])
def files(request, folder) -> FileCalls:
    program = shutil.which("rg") if request.param == "ripgrep" else None
    if request.param == "ripgrep" and program is None:
        pytest.skip("no ripgrep here")
    return FileCalls(folder, ripgrep=program)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", [".hidden.py", "a.py"]),
        ("**/*.py", [".hidden.py", "a.py", "src/b.py"]),
        ("src/**", ["src/b.py", "src/deep/", "src/deep/c.md"]),
        ("**/*.{py,md}", [".hidden.py", "a.py", "src/b.py", "src/deep/c.md"]),
        ("src/?.py", ["src/b.py"]),
        ("[ab].py", ["a.py"]),
        ("[!a]*", [".git/", ".hidden.py", ".msgbook/", "__pycache__/", "node_modules/", "src/"]),
        ("./src/*.py", ["src/b.py"]),
        ("none*", ["(no path matches)"]),
    ],
)
def test_glob_finds_paths(folder, pattern, found):
    assert FileCalls(folder).run("glob", pattern=pattern).split("\n") == found


def test_glob_in_a_folder_gives_paths_that_other_tools_take(folder):
    files = FileCalls(folder)

    assert files.run("glob", pattern="*.py", path="src") == "src/b.py"
    assert files.run("glob", pattern="*.py", path=".git/hooks") == ".git/hooks/x.py"
    assert files.error("glob", pattern="*", path="a.py") == "a.py is not a folder."


@pytest.mark.parametrize("pattern", ["/etc/*", "../*", "a/../../b", "", "/", "{a,b}" * 20])
def test_glob_takes_no_pattern_that_leaves_the_folder_or_explodes(folder, pattern):
    assert pattern[:20] in FileCalls(folder).error("glob", pattern=pattern)


def test_glob_says_how_many_there_are_when_it_shows_fewer(tmp_path):
    for number in range(1100):
        (tmp_path / f"{number:04}").touch()

    *names, note = FileCalls(tmp_path).run("glob", pattern="*").split("\n")

    assert names == [f"{number:04}" for number in range(1000)]
    assert note.startswith("[1100 paths match in all")


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**", "a/b", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("*", "a/b", False),
        ("a[b", "a[b", True),
        ("a[]]b", "a]b", True),
        ("a[/]b", "a/b", False),
        ("*.PY", "a.py", False),
        ("a.b", "axb", False),
    ],
)
def test_a_pattern_means_what_shells_mean(pattern, path, fits):
    assert matcher(pattern)(path) == fits


def test_a_pattern_without_a_slash_can_mean_every_folder():
    assert matcher("*.py", anywhere=True)("a/b.py")
    with pytest.raises(ToolError):
        matcher("../*.py", anywhere=True)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"pattern": "import"}, [".hidden.py:1:import sys", "a.py:1:import os"]),
        ({"pattern": r"^def \w+"}, ["src/b.py:1:def b():"]),
        ({"pattern": "DEF", "ignore_case": True}, ["src/b.py:1:def b():"]),
        ({"pattern": ".", "glob": "*.md"}, ["src/deep/c.md:1:words"]),
        ({"pattern": ".", "glob": "src/*.py", "context": 0}, ["src/b.py:1:def b():", "src/b.py:2:    pass"]),
        ({"pattern": "print", "context": 1}, ["a.py-1-import os", "a.py:2:print(os)"]),
        ({"pattern": "b", "path": "src"}, ["src/b.py:1:def b():"]),
        ({"pattern": "os", "path": "a.py"}, ["a.py:1:import os", "a.py:2:print(os)"]),
        ({"pattern": "words$"}, ["src/deep/c.md:1:words"]),
        ({"pattern": "nothing of it"}, ["(nothing matches)"]),
        ({"pattern": "(?=p)print"}, ["a.py:2:print(os)"]),
    ],
)  # fmt: skip
def test_grep_finds_lines(files, arguments, found):
    assert files.run("grep", **arguments).split("\n") == found


def test_grep_shows_context_once_and_marks_gaps(files, folder):
    (folder / "t").write_text("".join(f"{n}\n" for n in range(1, 31)))

    assert files.run("grep", pattern="^(5|7|20)$", glob="t", context=1).split("\n") == [
        "t-4-4", "t:5:5", "t-6-6", "t:7:7", "t-8-8", "--", "t-19-19", "t:20:20", "t-21-21",
    ]  # fmt: skip


def test_grep_shows_nothing_of_binary_or_very_long_files_and_cuts_lines(files, folder):
    (folder / "binary").write_bytes(b"needle\0\0\n")
    (folder / "large").write_text("needle\n" * 800_000)
    (folder / "wide").write_text("x" * 1000 + "needle\n")
    (folder / "crlf").write_bytes(b"needle\r\n")

    assert files.run("grep", pattern="needle$").split("\n") == [
        "crlf:1:needle",
        f"wide:1:{'x' * 300} [...]",
    ]
    assert "binary" in files.error("grep", pattern="x", path="binary")


def test_grep_stops_where_there_is_too_much(files, folder):
    (folder / "many").write_text("needle\n" * 10_000)

    *lines, note = files.run("grep", pattern="needle").split("\n")

    assert lines == [f"many:{n}:needle" for n in range(1, 401)]
    assert note.startswith("[there is more")


def test_a_pattern_that_is_none_is_said(files):
    assert files.error("grep", pattern="(").startswith("'(' is not a regular expression: ")


def test_nothing_is_shown_of_files_that_may_hold_secrets(files, folder):
    for name in (".env", "src/server.key", ".ssh/known", ".ENV.local", "repo.git/config"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("needle\n")

    assert files.run("grep", pattern="needle") == "(nothing matches)"
    assert files.run("grep", pattern="needle", path="src") == "(nothing matches)"
    assert ".env" in files.run("glob", pattern="*").split("\n")


def test_links_are_listed_and_never_followed(files, folder, tmp_path):
    (tmp_path / "outside.py").write_text("import outside\n")
    (folder / "up").symlink_to(tmp_path)
    (folder / "root").symlink_to("/")
    (folder / "self").symlink_to(folder)
    (folder / "link.py").symlink_to(tmp_path / "outside.py")

    assert "outside" not in files.run("grep", pattern="import")
    found = files.run("glob", pattern="**").split("\n")
    assert {"up", "root", "self", "link.py"} <= set(found)
    assert not [name for name in found if name.startswith(("up/", "root/", "self/"))]


def test_a_folder_that_somebody_allowed_is_searched_without_its_secrets(files, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a").write_text("needle\n")
    (other / "x.pem").write_text("needle\n")

    assert files.run_approved("grep", pattern="needle", path=str(other)) == f"{other}/a:1:needle"


def rg_that_says(folder: Path, *events: dict) -> str:
    """A program that prints these events, whatever it is asked."""
    program = folder / "rg"
    lines = "\n".join(json.dumps(event) for event in events)
    program.write_text(f"#!{sys.executable}\nprint({lines!r})\n")
    program.chmod(stat.S_IRWXU)
    return str(program)


def hit(path: str) -> list[dict]:
    lines = {"text": "needle\n"}
    return [
        {"type": "begin", "data": {"path": {"text": path}}},
        {"type": "match", "data": {"path": {"text": path}, "lines": lines, "line_number": 1}},
    ]


def test_what_ripgrep_says_counts_only_for_files_that_may_be_shown(folder, tmp_path):
    (folder / ".env").write_text("needle\n")
    (folder / "a.py").write_text("needle\n")
    (tmp_path / "outside.py").write_text("needle\n")
    (folder / "link").symlink_to(tmp_path)
    events = [*hit("./a.py"), *hit("./.env"), *hit("./link/outside.py"), *hit("../outside.py")]
    program = rg_that_says(tmp_path, *events, {"type": "summary", "data": {}})

    assert FileCalls(folder, ripgrep=program).run("grep", pattern="x") == "a.py:1:needle"


@pytest.mark.parametrize(
    "meanwhile",
    [
        "import os; os.rename('src', 'was'); os.symlink('../outside', 'src')",
        "import os; os.remove('src/b.py'); os.symlink('../../outside/b.py', 'src/b.py')",
        "import os; os.chdir('../outside')",
    ],
)
def test_nothing_is_read_through_a_link_that_is_put_in_while_ripgrep_runs(
    folder, tmp_path, meanwhile
):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.py").write_text("needle\n")
    (tmp_path / "outside" / "a.py").write_text("needle\n")
    program = fake_ripgrep.install(tmp_path, meanwhile)

    assert FileCalls(folder, ripgrep=program).run("grep", pattern="needle") == "(nothing matches)"


@pytest.mark.parametrize(
    "data",
    [
        "one\nnéedle\n".encode(),
        "one\r\nnéedle\r\n".encode(),
        "one\nnéedle\n".encode("cp1252"),
        "Ã©\nneedle é\n".encode("cp1252"),
        "one\nnéedle\n".encode("utf-16"),
        "\ufeffnéedle".encode(),
    ],
)
def test_a_line_is_found_in_whatever_encoding(files, folder, data):
    (folder / "found.txt").write_bytes(data)

    found = files.run("grep", pattern="dle", glob="found.txt")

    assert re.fullmatch("found.txt:[12]:(néedle|needle é)", found)


@pytest.mark.parametrize("said", ["", "rg: a spreadsheet\n", '{"type": "begin", "data": 3}\n'])
def test_without_an_answer_of_ripgrep_python_searches(folder, tmp_path, said):
    program = tmp_path / "rg"
    program.write_text(f"#!{sys.executable}\nprint({said!r}, end='')\n")
    program.chmod(stat.S_IRWXU)

    for path in (str(program), str(tmp_path / "no-such-program")):
        assert FileCalls(folder, ripgrep=path).run("grep", pattern="words") == (
            "src/deep/c.md:1:words"
        )


def test_a_file_that_is_named_is_searched_also_when_it_is_long(files, folder):
    (folder / "large").write_text("hay\n" * 2_000_000 + "needle\n")

    assert files.run("grep", pattern="needle", path="large") == "large:2000001:needle"


@pytest.mark.parametrize("pattern", ["two", "^two$", "t.o"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "cp1252"])
def test_grep_finds_the_lines_of_a_file_whose_lines_end_with_cr(folder, files, pattern, codec):
    (folder / "old.txt").write_bytes("öne\rtwo\rthree\r".encode(codec))
    (folder / "progress.txt").write_bytes(b"10 %\r50 %\rtwo\n")

    lines = files.run("grep", pattern=pattern, context=1).split("\n")

    assert [line for line in lines if line.startswith("old")] == [
        "old.txt-1-öne",
        "old.txt:2:two",
        "old.txt-3-three",
    ]


def test_a_name_that_begins_with_a_blank_is_a_name(folder, files):
    (folder / " a b.txt").write_text("needle\n")
    (folder / " sub").mkdir()
    (folder / " sub" / " c.txt").write_text("needle\n")

    assert files.run("read", path=" a b.txt") == "needle\n"
    assert files.run("read", path=" sub") == " c.txt"
    assert files.run("glob", pattern=" *") == " a b.txt\n sub/"
    assert files.run("glob", pattern="*", path=" sub") == " sub/ c.txt"
    found = " a b.txt:1:needle\n sub/ c.txt:1:needle"
    assert files.run("grep", pattern="needle") == found
    assert files.run("grep", pattern="needle", glob=" *.txt") == found
    assert files.run("grep", pattern="needle", path=" sub") == " sub/ c.txt:1:needle"
