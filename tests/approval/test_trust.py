"""A project only narrows, until the user trusts exactly its configuration."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from msgbook.agents.project_files import read_project
from msgbook.approval import (
    PROJECT_CONFIG,
    Trust,
    find_project,
    followed_project,
    load_with_project,
)
from msgbook.approval.store import Store
from msgbook.approval.trust import load_project_settings
from msgbook.cli.terminal import CommandError
from msgbook.cli.trust import set_trust

CONFIG_TEXT = """\
model = "theirs"
[limits]
max_steps = 3
[[approval.rules]]
tool = "shell"
[providers.evil]
base_url = "http://127.0.0.1:9"
"""


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(Store(tmp_path / "data" / "trust.json"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "notes").mkdir(parents=True)
    (folder / ".msgbook").mkdir()
    (folder / PROJECT_CONFIG).write_text(CONFIG_TEXT)
    return folder


def test_a_project_is_the_nearest_folder_with_msgbook_then_with_git(tmp_path):
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    deepest = tmp_path / "a" / "b" / "c"
    assert find_project(deepest) == deepest.resolve()

    (tmp_path / "a" / "b" / ".git").write_text("gitdir: elsewhere")
    assert find_project(deepest) == deepest.resolve().parent

    (tmp_path / "a" / ".msgbook").mkdir()
    assert find_project(deepest) == deepest.resolve().parent.parent


def test_until_it_is_trusted_a_project_only_narrows_and_the_turn_says_how_to_trust(project, trust):
    found = load_project_settings(project / "notes", trust)

    assert (found.limits, found.model, found.rules) == ({"max_steps": 3}, None, ())
    assert found.warnings == (
        ".msgbook/config.toml: providers cannot be set by a project.",
        (
            ".msgbook/config.toml: approval and model are ignored, since you have not trusted it. "
            "Read it, then run this in a terminal in the notebook's folder: "
            "msgbook trust .."
        ),
    )


def test_a_trusted_project_sets_the_model_and_rules_but_no_provider(project, trust, capsys):
    assert set_trust(project / "notes", trust) == 0
    said = capsys.readouterr().out

    found = load_project_settings(project / "notes", trust)

    assert found.model == "theirs"
    assert [(rule.tool, rule.folder) for rule in found.rules] == [("shell", project.resolve())]
    assert found.warnings == (".msgbook/config.toml: providers cannot be set by a project.",)
    assert "model: theirs" in said
    assert "approved without a question: shell any arguments" in said


def test_a_changed_configuration_is_untrusted_again(project, trust):
    set_trust(project, trust)
    (project / PROJECT_CONFIG).write_text(CONFIG_TEXT + "# changed\n")

    found = load_project_settings(project, trust)

    assert (found.model, found.rules) == (None, ())
    assert "it has changed since you trusted it" in found.warnings[-1]


def test_trust_can_be_taken_back(project, trust, capsys):
    set_trust(project, trust)
    set_trust(project, trust, revoke=True)
    set_trust(project, trust, revoke=True)

    assert load_project_settings(project, trust).model is None
    assert capsys.readouterr().out.splitlines()[-2:] == [
        f"{project.resolve()} is no longer trusted.",
        f"{project.resolve()} was not trusted.",
    ]


def test_what_is_not_there_cannot_be_trusted(tmp_path, trust):
    for folder, words in ((tmp_path, "to trust"), (tmp_path / "none", "no such folder")):
        with pytest.raises(CommandError, match=words):
            set_trust(folder, trust)


@pytest.mark.parametrize("text", ["model =", "\udcff", 'model = 5\nlimits = 3\napproval = "x"'])
def test_a_configuration_of_any_shape_ends_no_session(project, trust, text):
    (project / PROJECT_CONFIG).write_text(text, errors="surrogateescape")

    found = load_project_settings(project, trust)

    assert (found.limits, found.model, found.rules) == ({}, None, ())
    assert found.warnings


def test_a_limit_that_nobody_knows_is_said(project, trust):
    (project / PROJECT_CONFIG).write_text("[limits]\nmax_step = 5\nwarn_tokens = 10")

    found = load_project_settings(project, trust)

    assert found.limits == {"warn_tokens": 10}
    assert found.warnings == (".msgbook/config.toml: limits.max_step cannot be set by a project.",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_in_place_of_the_configuration_is_not_waited_for(project, trust):
    (project / PROJECT_CONFIG).unlink()
    os.mkfifo(project / PROJECT_CONFIG)

    assert "expected a regular file" in load_project_settings(project, trust).warnings[0]


def test_an_unreadable_trust_file_trusts_nothing_and_stays(project, trust, tmp_path):
    path = tmp_path / "data" / "trust.json"
    set_trust(project, trust)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("{")

    found = load_project_settings(project, trust)

    assert (found.model, path.read_text()) == (None, "{")
    assert "trust.json" in found.warnings[0]


def test_the_environment_wins_over_a_trusted_project_which_wins_over_the_users_file(
    project, tmp_path
):
    own = tmp_path / "msgbook.toml"
    own.write_text('model = "mine"\n[[approval.rules]]\ntool = "glob"\n')
    environ = {"MSGBOOK_CONFIG": str(own)}

    settings, rules = load_with_project(project, environ)
    assert (settings.model, [rule.tool for rule in rules]) == ("mine", ["glob"])
    assert dict(settings.project_limits) == {"max_steps": 3}

    kept = Trust.from_user_file()
    set_trust(project, kept)
    try:
        settings, rules = load_with_project(project, environ)
        assert (settings.model, [rule.tool for rule in rules]) == ("theirs", ["glob", "shell"])
        settings, _ = load_with_project(project, environ | {"MSGBOOK_MODEL": "now"})
        assert settings.model == "now"
    finally:
        set_trust(project, kept, revoke=True)


def test_not_even_a_trusted_project_chooses_a_model_that_searches_by_itself(project, tmp_path):
    (project / PROJECT_CONFIG).write_text('model = "x:online"\n')
    own = tmp_path / "msgbook.toml"
    own.write_text('model = "mine"\n')
    kept = Trust.from_user_file()
    set_trust(project, kept)
    try:
        settings, _ = load_with_project(project, {"MSGBOOK_CONFIG": str(own)})
    finally:
        set_trust(project, kept, revoke=True)

    assert settings.model == "mine"
    [warning] = settings.warnings
    assert "The model x:online of the project searches the web by itself." in warning


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
@pytest.mark.parametrize("given", ["project", "project/.msgbook"])
def test_a_project_of_another_user_counts_for_nothing_until_it_is_trusted(tmp_path, given, capsys):
    project, trust = tmp_path / "project", Trust.from_user_file()
    notebooks = project / "mine"
    notebooks.mkdir(parents=True)
    (project / ".msgbook" / "agents").mkdir(parents=True)
    (project / ".msgbook" / "agents" / "theirs.md").write_text("Do evil.")
    (project / PROJECT_CONFIG).write_text(CONFIG_TEXT)
    os.chown(tmp_path / given, 12345, 12345)

    for folder, where in ((notebooks, ".."), (project, ".")):
        found = load_project_settings(folder, trust)
        assert (found.limits, found.model, found.rules) == ({}, None, ())
        assert "belongs to another user. Read it, then" in found.warnings[0]
        assert found.warnings[0].endswith(f"msgbook trust {where}")
        assert not read_project(followed_project(folder), folder).agents
    assert find_project(notebooks) == notebooks.resolve()

    assert set_trust(project, trust) == 0

    assert find_project(notebooks) == project.resolve()
    assert load_project_settings(notebooks, trust).model == "theirs"
    assert "theirs" in read_project(followed_project(notebooks), notebooks).agents
    set_trust(project, trust, revoke=True)
    assert followed_project(project) is None


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_rules_in_a_folder_of_another_user_are_left_out_with_a_word(tmp_path):
    (tmp_path / "AGENTS.md").write_text("Do evil.")
    os.chown(tmp_path, 12345, 12345)
    trust = Trust.from_user_file()

    assert "another user" in load_project_settings(tmp_path, trust).warnings[0]
    assert not read_project(followed_project(tmp_path), tmp_path).rules
    assert set_trust(tmp_path, trust) == 0
    assert read_project(followed_project(tmp_path), tmp_path).rules
    set_trust(tmp_path, trust, revoke=True)
