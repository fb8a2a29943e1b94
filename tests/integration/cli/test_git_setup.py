"""`msgbook git-setup`, and git itself with the drivers that it installs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from saved_chats import QUESTION

from msgbook.extras.git_setup import ATTRIBUTES, DRIVER, driver_settings
from msgbook_format import reads

CHAT = f"""\
{QUESTION}
# %% Notes[^q2]

[^q2]: [markdown]

Line one.
Line two.
"""
LATIN = "# %% [^a]\n\nCaf\u00e9.\n\nTwo.\n\nThree.\n\nFour.\n".encode("latin-1")


class Repository:
    """A repository of its own, with a user whose settings are in a folder of the test."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        folder.mkdir()
        home.mkdir(exist_ok=True)
        names = {
            f"GIT_{who}_{what}": f"{what.lower()}@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        self.env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        self.env |= {"HOME": str(home), "XDG_CONFIG_HOME": "", "GIT_CONFIG_NOSYSTEM": "1", **names}
        self.env |= {"LC_ALL": "C.UTF-8", "PYTHONPATH": ""}
        self.git("init", "-q", "-b", "main")

    def run(self, *command: str, code: int | None = 0) -> str:
        """Run a command and return all that it prints; `code` is the exit code that is expected."""
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )
        assert code in (None, done.returncode), done.stdout + done.stderr
        return done.stdout + done.stderr

    def git(self, *arguments: str, code: int | None = 0) -> str:
        return self.run("git", *arguments, code=code)

    def msgbook(self, *arguments: str, code: int | None = 0) -> str:
        return self.run(sys.executable, "-m", "msgbook", *arguments, code=code)

    def write(self, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        (self.folder / "chat.msg.md").write_bytes(data)

    def read(self) -> str:
        return (self.folder / "chat.msg.md").read_text("utf-8")

    def commit(self, text: str | bytes) -> None:
        self.write(text)
        self.git("add", ".")
        self.git("commit", "-qm", "change")

    def branch(self, base: str | bytes, ours: str | bytes, theirs: str | bytes) -> None:
        """Commit a base, `theirs` on a branch `side`, and `ours` on `main`."""
        self.commit(base)
        self.git("checkout", "-qb", "side")
        self.commit(theirs)
        self.git("checkout", "-q", "main")
        self.commit(ours)


@pytest.fixture
def plain(tmp_path: Path) -> Repository:
    """A repository without the drivers."""
    return Repository(tmp_path / "re po", tmp_path / "home")


@pytest.fixture
def repository(plain: Repository) -> Repository:
    """A repository with the drivers."""
    plain.msgbook("git-setup")
    return plain


OURS = CHAT.replace("Line one.", "The first line.")
THEIRS = CHAT.replace("It prints a.", "It prints **a**.").replace(
    "Line two.", "Line two.\nThe end."
)
BOTH = THEIRS.replace("Line one.", "The first line.")


def test_setup_says_what_it_writes_and_does_it_once(plain):
    first = plain.msgbook("git-setup")
    config = (plain.folder / ".git/config").read_text()
    attributes = (plain.folder / ".git/info/attributes").read_text()

    assert all(key in first for key in driver_settings(sys.executable))
    assert ATTRIBUTES in first
    assert "Nothing was changed" in plain.msgbook("git-setup")
    assert (plain.folder / ".git/config").read_text() == config
    assert (plain.folder / ".git/info/attributes").read_text() == attributes


def test_remove_takes_back_what_setup_wrote_and_nothing_else(plain):
    plain.git("config", "diff.msgbook.command", "mine")
    own = plain.folder / ".git/info/attributes"
    own.write_bytes(b"*.txt text\n*.md -diff\n# caf\xe9")
    config = (plain.folder / ".git/config").read_text()

    plain.msgbook("git-setup")
    assert own.read_bytes().startswith(b"# written by msgbook git-setup\n")
    plain.msgbook("git-setup", "--remove")

    assert own.read_bytes() == b"*.txt text\n*.md -diff\n# caf\xe9\n"
    assert (plain.folder / ".git/config").read_text() == config
    assert "nothing to remove" in plain.msgbook("git-setup", "--remove")


def test_a_line_of_ones_own_stays_in_force_and_is_named(plain):
    (plain.folder / ".git/info/attributes").write_text("*.msg.md merge=union\n")

    told = plain.msgbook("git-setup")

    assert "merge=union" in told
    assert "merge: union" in plain.git("check-attr", "merge", "chat.msg.md")


def test_global_setup_serves_all_repositories(plain):
    plain.msgbook("git-setup", "--global")
    plain.branch(CHAT, OURS, THEIRS)

    plain.git("merge", "-q", "--no-edit", "side")

    assert plain.read() == BOTH
    assert not (plain.folder / ".git/info/attributes").exists()
    plain.msgbook("git-setup", "--global", "--remove")
    assert "unspecified" in plain.git("check-attr", "merge", "chat.msg.md")


def test_global_setup_uses_the_attributes_file_that_the_user_chose(plain):
    plain.git("config", "--global", "core.attributesFile", "~/my attributes")

    plain.msgbook("git-setup", "--global")

    assert ATTRIBUTES in Path(plain.env["HOME"], "my attributes").read_text()


def test_outside_of_a_repository_setup_says_what_it_expected(plain, tmp_path):
    plain.folder = tmp_path

    told = plain.msgbook("git-setup", code=2)

    assert "expected a git repository" in told
    assert "--global" in told


def test_settings_that_cannot_be_written_leave_no_attributes_without_a_driver(plain):
    (plain.folder / ".git/config.lock").touch()

    told = plain.msgbook("git-setup", code=2)

    assert "could not lock config file" in told
    assert not (plain.folder / ".git/info/attributes").exists()


def test_without_git_setup_says_so(plain):
    plain.env["PATH"] = ""

    assert "git was not found on PATH" in plain.msgbook("git-setup", code=2)


def test_any_path_of_an_interpreter_is_run(plain, tmp_path):
    """git gives the command to a shell, and replaces what follows a percent sign."""
    python = tmp_path / 'it\'s 50%A $HOME "x" \\y'
    python.symlink_to(sys.executable)
    script = f"import sys\nfrom msgbook.extras import git_setup\ngit_setup.install(git_setup.GitSettings.for_repository(), {str(python)!r})"
    plain.run(sys.executable, "-c", script)
    plain.env["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    plain.branch(CHAT, OURS, THEIRS)

    plain.git("merge", "-q", "--no-edit", "side")

    assert plain.read() == BOTH


def test_a_module_in_the_repository_is_not_imported(repository):
    for name in ("argparse", "msgbook_format", "subprocess", "yaml"):
        (repository.folder / f"{name}.py").write_text("raise SystemExit('hostile')")
    repository.branch(CHAT, OURS, THEIRS)

    repository.git("merge", "-q", "--no-edit", "side")

    assert repository.read() == BOTH


def test_merge_merges_cell_by_cell(repository):
    repository.branch(CHAT, OURS, THEIRS)

    repository.git("merge", "-q", "--no-edit", "side")

    assert repository.read() == BOTH
    assert repository.git("status", "--porcelain") == ""


def test_rebase_merges_cell_by_cell(repository):
    repository.branch(CHAT, OURS, THEIRS)

    repository.git("rebase", "-q", "side")

    assert repository.read() == BOTH


def test_cherry_pick_and_stash_pop_merge_cell_by_cell(repository):
    repository.branch(CHAT, OURS, THEIRS)
    repository.git("checkout", "-q", "main~1")
    repository.write(OURS)
    repository.git("stash", "-q")
    repository.git("cherry-pick", "side")

    repository.git("stash", "pop", "-q")

    assert repository.read() == BOTH


def test_a_conflict_is_left_as_a_message_file_until_it_is_solved(repository):
    ours, theirs = (CHAT.replace("It prints a.", f"It prints {name}.") for name in "bc")
    repository.branch(CHAT, ours, theirs)

    told = repository.git("merge", "--no-edit", "side", code=1)

    assert "msgbook: chat.msg.md: 1 conflict" in told
    assert repository.git("status", "--porcelain") == "UU chat.msg.md\n"
    ids = [cell["id"] for cell in reads(repository.read())["cells"]]
    assert ids == ["q1", "q1-conflict", "q1-theirs", "q2"]
    assert repository.msgbook("check", "chat.msg.md", code=1).count("conflict-mark") == 3
    repository.git("merge", "--abort")
    assert repository.read() == ours


def test_a_file_that_both_branches_added_is_merged_without_an_ancestor(repository):
    repository.commit("")
    repository.git("rm", "-q", "chat.msg.md")
    repository.git("commit", "-qm", "gone")
    repository.git("checkout", "-qb", "side")
    repository.commit(CHAT + "\n# %% [^t]\n\nTheirs.\n")
    repository.git("checkout", "-q", "main")
    repository.commit(CHAT + "\n# %% [^o]\n\nOurs.\n")

    repository.git("merge", "-q", "--no-edit", "side")

    assert repository.read() == CHAT + "\n# %% [^o]\n\nOurs.\n\n# %% [^t]\n\nTheirs.\n"


def test_a_file_that_cannot_be_read_has_gits_own_marks(repository):
    ours, theirs = LATIN.replace(b"Two", b"Ours"), LATIN.replace(b"Two", b"Theirs")
    repository.branch(LATIN, ours, theirs)

    told = repository.git("merge", "--no-edit", "side", code=1)

    assert "expected UTF-8, and the common ancestor is not: its byte 15 is 0xe9" in told
    assert "git merges its lines instead" in told
    merged = (repository.folder / "chat.msg.md").read_bytes()
    assert b"<<<<<<< ours\nOurs.\n=======\nTheirs.\n>>>>>>> theirs\n" in merged


@pytest.mark.parametrize("lost", ["python", "package"])
def test_a_driver_that_is_gone_leaves_gits_own_marks(plain, tmp_path, lost):
    """git takes our version for a merge with conflicts if a driver cannot be run."""
    python = tmp_path / "python"
    if lost == "package":
        python.write_text('#!/bin/sh\necho "No module named msgbook_format" >&2\nexit 1\n')
        python.chmod(0o755)
    for key, value in driver_settings(str(python)).items():
        plain.git("config", key, value)
    (plain.folder / ".git/info/attributes").write_text(ATTRIBUTES)
    plain.branch(CHAT, *[CHAT.replace("It prints a.", f"It prints {name}.") for name in "bc"])

    plain.git("merge", "--no-edit", "side", code=1)

    marks = "<<<<<<< ours\nIt prints b.\n=======\nIt prints c.\n>>>>>>> theirs\n"
    assert plain.read() == CHAT.replace("It prints a.\n", marks)


def test_a_file_that_is_not_text_is_left_and_the_user_is_told(repository):
    repository.branch(b"\0a\xff", b"\0b\xff", b"\0c\xff")

    told = repository.git("merge", "--no-edit", "side", code=1)

    assert "its byte 3 is 0xff" in told
    assert "Cannot merge binary files" in told
    assert (repository.folder / "chat.msg.md").read_bytes() == b"\0b\xff"


def test_diff_and_log_name_the_cell_and_compare_words(repository):
    repository.branch(CHAT, CHAT.replace("Line two.", "Line 2."), THEIRS)

    diff = repository.git("diff", "HEAD~1", "-U0")
    log = repository.git("log", "-1", "-p", "--word-diff")

    assert "@@ # %% Notes[^q2]" in diff
    assert "Line [-two-]{+2+}." in log
    answer = repository.git("diff", "main~1", "side", "-U0", "--word-diff")
    assert "@@ # %% [^q1]" in answer
    assert "It prints {+**+}a{+**+}." in answer


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_words_of_any_script_stay_whole(repository, locale):
    repository.commit("# %%\n\n\u4f60\u597d, caf\u00e9.\n")
    repository.write("# %%\n\n\u4f60\u4eec, caf\u00e9.\n")
    repository.env["LC_ALL"] = locale

    diff = repository.git("diff", "--word-diff")

    assert "[-\u4f60\u597d-]{+\u4f60\u4eec+}, caf\u00e9." in diff


@pytest.mark.parametrize("arguments", [[], ["a", "b", "c"], ["a", "b", "c", "x", "d"]])
def test_the_driver_says_what_it_expects(plain, arguments):
    told = plain.run(sys.executable, "-P", "-m", "msgbook_format.merging", *arguments, code=2)

    assert "expected BASE OURS THEIRS SIZE PATH" in told


def test_the_doctor_says_which_python_merges(plain):
    plain.env["MSGBOOK_MODEL"] = "demo"
    before = plain.msgbook("doctor", "--offline", code=None)
    plain.msgbook("git-setup")
    own = plain.msgbook("doctor", "--offline", code=None)
    plain.git("config", DRIVER, "/elsewhere/python -m msgbook_format.merging")
    other = plain.msgbook("doctor", "--offline", code=None)

    assert "git:" not in before
    assert "pass     git: merges message files by cell" in own
    assert "note     git: it merges message files with another Python" in other
