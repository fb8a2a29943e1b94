"""`msgbook git-setup` and `msgbook doctor` in a repository that someone else has made."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from msgbook.__main__ import main

MARK = "ran"


@pytest.fixture
def env(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": "", "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def repository(tmp_path, env):
    folder = tmp_path / "received"
    folder.mkdir()
    git(folder, env, "init", "-q", "-b", "main")
    (folder / "chat.msg.md").write_text("# %%\n", "utf-8")
    (folder / ".gitattributes").write_text("*.md diff=evil filter=evil merge=evil\n", "utf-8")
    git(folder, env, "add", ".")
    return folder


def git(folder: Path, env: dict[str, str], *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True)


def msgbook(folder: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "msgbook", *arguments],
        cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


PROGRAMS = (
    "core.fsmonitor", "core.pager", "pager.config", "pager.check-attr", "core.editor", "core.askPass",
    "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand", "credential.helper", "diff.external",
    "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
    "merge.evil.driver", "gpg.program", "alias.config", "alias.rev-parse", "alias.check-attr",
    "sequence.editor", "uploadpack.packObjectsHook", "interactive.diffFilter", "trace2.eventTarget",
    "remote.origin.uploadpack", "browser.x.cmd", "man.x.cmd", "init.templateDir",
)  # fmt: skip


@pytest.mark.parametrize(
    "verb", [["git-setup"], ["git-setup", "--remove"], ["git-setup", "--global"], ["doctor"]]
)
def test_nothing_that_a_repository_configures_runs(repository, env, tmp_path, verb):
    mark = tmp_path / MARK
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n", "utf-8")
    program.chmod(0o755)
    (repository / "hooks").mkdir()
    for name in PROGRAMS:
        git(repository, env, "config", name, str(program))
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"):
        for folder in (repository / "hooks", repository / ".git" / "hooks"):
            folder.mkdir(exist_ok=True)
            (folder / hook).write_text(program.read_text("utf-8"), "utf-8")
            (folder / hook).chmod(0o755)
    git(repository, env, "-c", "core.fsmonitor=false", "config", "core.hooksPath", "hooks")
    (repository / "git").write_text(program.read_text("utf-8"), "utf-8")
    (repository / "git").chmod(0o755)
    mark.unlink(missing_ok=True)

    done = msgbook(repository, {**env, "PATH": f".:{env['PATH']}"}, *verb)

    assert not mark.exists()
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("name", ["info/attributes", "info", "config", "."])
def test_no_link_in_a_repository_is_written_through(repository, env, tmp_path, name):
    ours = repository / ".git" / name
    elsewhere = tmp_path / "elsewhere"
    if ours.exists():
        ours.rename(elsewhere)
    else:
        elsewhere.write_text("mine\n", "utf-8")
    Path(str(ours).rstrip("/")).symlink_to(elsewhere)
    before = contents(tmp_path)

    done = msgbook(repository, env, "git-setup")

    assert done.returncode == 2
    assert "found a link to" in done.stderr
    assert contents(tmp_path) == before


def another_repository(folder: Path, env: dict[str, str]) -> Path:
    folder.mkdir()
    git(folder, env, "init", "-q", "-b", "main")
    git(
        folder,
        env,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "a",
    )
    return folder


FOREIGN = {
    "a .git file": lambda folder, other: (folder / ".git").write_text(f"gitdir: {other}/.git\n"),
    "a relative one": lambda folder, other: (folder / ".git").write_text("gitdir: ../other/.git\n"),
    "a common folder": lambda folder, other: fake_git(folder / ".git", f"{other}/.git"),
    "a .git file and a common folder": lambda folder, other: (
        fake_git(folder / "x", f"{other}/.git"), (folder / ".git").write_text("gitdir: x\n"),
    ),
    "a worktree of it that is not registered": lambda folder, other: (
        fake_git(folder / "x", f"{other}/.git"), (folder / "x" / "gitdir").write_text(f"{folder}/.git\n"),
        (folder / ".git").write_text("gitdir: x\n"),
    ),
    "a worktree of it elsewhere": lambda folder, other: (folder / ".git").write_text(
        f"gitdir: {other}/.git/worktrees/tree\n"
    ),
}  # fmt: skip


def fake_git(folder: Path, common: str) -> None:
    folder.mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "commondir").write_text(f"{common}\n")


@pytest.mark.parametrize("verb", [["git-setup"], ["git-setup", "--remove"]])
@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("inside", [".", "sub/folder"])
def test_a_folder_that_names_another_repository_changes_nothing_there(
    tmp_path, env, kind, verb, inside
):
    other = another_repository(tmp_path / "other", env)
    git(other, env, "worktree", "add", "-q", str(tmp_path / "tree"))
    folder = tmp_path / "received"
    (folder / inside).mkdir(parents=True)
    FOREIGN[kind](folder, other)
    before = contents(tmp_path)

    done = msgbook(folder / inside, env, *verb)

    assert done.returncode == 2
    assert "another repository" in done.stderr
    assert contents(tmp_path) == before


def test_a_worktree_and_a_submodule_are_set_up(tmp_path, env):
    other = another_repository(tmp_path / "other", env)
    git(other, env, "worktree", "add", "-q", str(tmp_path / "tree"))
    above = another_repository(tmp_path / "above", env)
    git(
        above, env, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "part"
    )
    (above / "part" / "sub").mkdir()

    for folder in (tmp_path / "tree", above / "part", above / "part" / "sub", above):
        done = msgbook(folder, env, "git-setup")
        assert done.returncode == 0, done.stderr

    assert "msgbook" in (other / ".git" / "config").read_text()
    assert "msgbook" in (above / ".git" / "modules" / "part" / "config").read_text()


def test_a_dangling_link_is_no_place_for_attributes(repository, env, tmp_path):
    place = repository / ".git" / "info" / "attributes"
    place.unlink(missing_ok=True)
    place.symlink_to(tmp_path / "new")

    done = msgbook(repository, env, "git-setup")

    assert (done.returncode, (tmp_path / "new").exists()) == (2, False)


def test_the_users_own_attributes_may_be_kept_elsewhere(repository, env, tmp_path):
    kept = tmp_path / "dotfiles"
    kept.write_text("*.x binary\n", "utf-8")
    folder = Path(env["HOME"]) / ".config" / "git"
    folder.mkdir(parents=True)
    (folder / "attributes").symlink_to(kept)

    assert msgbook(repository, env, "git-setup", "--global").returncode == 0

    assert "*.msg.md diff=msgbook" in kept.read_text("utf-8")


def test_git_gets_no_key(tmp_path, env, repository):
    seen = tmp_path / "seen"
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\nenv >> {seen}\nexit 1\n", "utf-8")
    (folder / "git").chmod(0o755)

    msgbook(
        repository,
        {**env, "PATH": f"{folder}:{env['PATH']}", "OPENAI_API_KEY": "sk-0123"},
        "git-setup",
    )

    assert "HOME=" in seen.read_text("utf-8")
    assert "sk-0123" not in seen.read_text("utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "home" not in path.parts
    }


PLACES = {
    "include.path": lambda folder, odd: append(folder, f"[include]\n\tpath = {odd}\n"),
    "includeIf": lambda folder, odd: append(folder, f'[includeIf "gitdir:**"]\n\tpath = {odd}\n'),
    "excludesFile": lambda folder, odd: append(folder, f"[core]\n\texcludesFile = {odd}\n"),
    "attributesFile": lambda folder, odd: append(folder, f"[core]\n\tattributesFile = {odd}\n"),
    "hooksPath": lambda folder, odd: append(folder, f"[core]\n\thooksPath = {odd}\n"),
    "the config": lambda folder, odd: swap(folder / ".git/config", odd),
    "info/attributes": lambda folder, odd: swap(folder / ".git/info/attributes", odd),
    ".gitattributes": lambda folder, odd: swap(folder / ".gitattributes", odd),
    "HEAD": lambda folder, odd: swap(folder / ".git/HEAD", odd),
}
"""Where a repository names a file that git reads."""


def append(folder: Path, lines: str) -> None:
    with (folder / ".git" / "config").open("a") as config:
        config.write(lines)


def swap(path: Path, odd: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(odd)


@pytest.mark.parametrize("kind", ["pipe", "socket", "zeros"])
@pytest.mark.parametrize("place", PLACES)
def test_no_file_that_a_repository_names_keeps_git_waiting(
    repository, env, tmp_path, place, kind, monkeypatch, capsys
):
    odd = tmp_path / "odd"
    with contextlib.ExitStack() as opened:
        if kind == "pipe":
            os.mkfifo(odd)
        elif kind == "socket":
            monkeypatch.chdir(tmp_path)  # an address has few letters
            opened.enter_context(socket.socket(socket.AF_UNIX)).bind("odd")
        else:
            odd.symlink_to("/dev/zero")
        PLACES[place](repository, odd)
        monkeypatch.chdir(repository)
        for name, value in env.items():
            monkeypatch.setenv(name, value)

        code = main(["git-setup"])
        told = capsys.readouterr().err
        code_of_doctor = main(["doctor", "--offline"])

    assert code in (0, 2)
    assert code_of_doctor in (0, 1)
    assert "Traceback" not in told + capsys.readouterr().err
