"""docs/git.md: its commands do what it says, and its hook is the one of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from how_to import HowTo

ROOT = Path(__file__).parents[3]


@pytest.fixture
def user(tmp_path: Path) -> dict[str, str]:
    """The environment of a user without settings of git."""
    (tmp_path / "home").mkdir()
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": "", "GIT_CONFIG_NOSYSTEM": "1"}
    return {**os.environ, **own, "PATH": tools, "LC_ALL": "C.UTF-8"}


def test_every_command_runs_and_prints_what_the_page_shows(fences, tmp_path, user):
    folder = tmp_path / "chats"
    folder.mkdir()

    HowTo(fences, folder, user).follow()

    merged = (folder / "chat.msg.md").read_text("utf-8")
    assert "Sintra" in merged
    assert "in Portugal" in merged


def test_pre_commit_runs_the_hook_of_the_repository_on_message_files_alone(tmp_path, user):
    hooks, folder = tmp_path / "hooks", tmp_path / "chats"
    for made in (hooks, folder):
        made.mkdir()
        _git(user, made, "init", "-q", "-b", "main")
        _git(user, made, "config", "user.email", "a@example.org")
        _git(user, made, "config", "user.name", "a")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    _git(user, hooks, "add", ".")
    _git(user, hooks, "commit", "-qm", "hooks")
    mistake = "# %% A\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
    (folder / "notes.md").write_text(mistake)
    (folder / "good.msg.md").write_text("# %% A\n\nHello.\n")
    _git(user, folder, "add", ".")

    command = [sys.executable, "-m", "pre_commit", "try-repo", str(hooks), "--all-files"]
    good = subprocess.run(
        command, cwd=folder, env=user, capture_output=True, text=True, check=False
    )
    (folder / "bad.msg.md").write_text(mistake)
    _git(user, folder, "add", ".")
    bad = subprocess.run(command, cwd=folder, env=user, capture_output=True, text=True, check=False)

    assert good.returncode == 0, good.stdout + good.stderr
    assert bad.returncode == 1
    assert "bad.msg.md:3: conflict-mark" in bad.stdout
    assert "notes.md" not in bad.stdout


def _git(user: dict[str, str], folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=user, check=True)
