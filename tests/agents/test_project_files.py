"""Agents, rules and skills of a project, which may come from anyone."""

from __future__ import annotations

import os
import sys

import pytest

from msgbook.agents.project_files import (
    FILE_LIMIT,
    MOST_FILES,
    ProjectFiles,
    ProjectRule,
    Skill,
    read_project,
)

SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\n"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def put(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def names(rules):
    return [rule.name for rule in rules]


def test_a_project_without_such_files_has_nothing(project):
    assert read_project(project, project) == ProjectFiles()


def test_rules_are_sorted_behind_the_one_at_the_top(project):
    put(
        project,
        {
            ".msgbook/rules/b.md": "B\r\n",
            ".msgbook/rules/a/z.md": "Z",
            ".msgbook/rules/a.txt": "no rule",
            ".msgbook/rules/empty.md": " \n",
            "AGENTS.md": "Top",
            "deeper/AGENTS.md": "not read",
        },
    )

    found = read_project(project, project)

    assert found.rules == (
        ProjectRule("AGENTS.md", "Top"),
        ProjectRule("a/z.md", "Z"),
        ProjectRule("b.md", "B\n"),
    )
    assert found.notices == ()


def test_of_equal_names_of_rules_the_first_counts(project):
    put(project, {"AGENTS.md": "Top", ".msgbook/rules/AGENTS.md": "Other"})

    found = read_project(project, project)

    assert found.rules == (ProjectRule("AGENTS.md", "Top"),)
    assert "another rule is called AGENTS.md" in found.notices[0]


def test_agents_are_the_files_of_their_folder(project):
    put(
        project,
        {
            ".msgbook/agents/b.md": "B",
            ".msgbook/agents/a.md": "---\nmodels: m\n---\nA",
            ".msgbook/agents/deep/c.md": "C",
            ".msgbook/agents/readme.txt": "R",
        },
    )

    assert read_project(project, project).agents == {"a": "---\nmodels: m\n---\nA", "b": "B"}


def test_skills_of_the_project_come_before_those_of_the_home(project, tmp_path):
    home, folder = tmp_path / "home", project / "notes"
    folder.mkdir()
    put(project, {".agents/skills/x/SKILL.md": SKILL.format("one")})
    put(
        home,
        {
            ".agents/skills/one/SKILL.md": SKILL.format("one"),
            ".agents/skills/two/SKILL.md": SKILL.format("two"),
        },
    )

    found = read_project(project, folder, home)

    own = str(home.resolve() / ".agents/skills/two/SKILL.md")
    assert found.skills == (
        Skill("one", "Does one.", "../.agents/skills/x/SKILL.md"),
        Skill("two", "Does two.", own),
    )


def test_a_project_that_is_the_home_has_its_skills_once(project):
    put(project, {".agents/skills/x/SKILL.md": SKILL.format("one")})

    assert len(read_project(project, project, project).skills) == 1


def test_an_odd_skill_is_a_notice(project):
    put(
        project,
        {".agents/skills/x/SKILL.md": "No frontmatter", ".agents/skills/none/readme.md": "x"},
    )

    assert read_project(project, project).notices == (
        ".agents/skills/x/SKILL.md: expected name: in its frontmatter, 1 to 64 characters.",
    )


def test_a_link_inside_the_project_is_followed(project):
    put(project, {"CLAUDE.md": "Top"})
    (project / "AGENTS.md").symlink_to("CLAUDE.md")

    assert read_project(project, project).rules == (ProjectRule("AGENTS.md", "Top"),)


def test_no_link_out_of_the_project_is_followed(project, tmp_path):
    put(tmp_path, {"out/secret.md": "SECRET", "out/x/SKILL.md": SKILL.format("secret")})
    put(project, {".msgbook/rules/ok.md": "ok"})
    (project / "AGENTS.md").symlink_to(tmp_path / "out/secret.md")
    (project / ".msgbook/rules/link.md").symlink_to("../../../out/secret.md")
    (project / ".msgbook/rules/folder").symlink_to(tmp_path / "out")
    (project / ".msgbook/agents").symlink_to(tmp_path / "out")
    (project / ".agents").mkdir()
    (project / ".agents/skills").symlink_to(tmp_path / "out")

    found = read_project(project, project)

    assert found.rules == (ProjectRule("ok.md", "ok"),)
    assert (found.agents, found.skills) == ({}, ())
    assert len(found.notices) == 5


def test_a_folder_on_the_way_that_is_a_link_is_not_followed(project, tmp_path):
    put(tmp_path, {"out/rules/a.md": "SECRET"})
    (project / ".msgbook").symlink_to(tmp_path / "out")

    assert read_project(project, project).rules == ()


@pytest.mark.parametrize("secret", [".env", "server.pem", ".git/config", ".ssh/known_hosts"])
def test_no_secret_file_of_the_project_is_read_as_a_rule(project, secret):
    put(project, {secret: "SECRET"})
    (project / "AGENTS.md").symlink_to(secret)

    found = read_project(project, project)

    assert found.rules == ()
    assert found.notices == ("AGENTS.md: not read, since it may hold a secret.",)


def test_the_users_own_links_in_the_home_are_followed(project, tmp_path):
    home = tmp_path / "home"
    put(tmp_path, {"dotfiles/skills/x/SKILL.md": SKILL.format("x")})
    (home / ".agents").mkdir(parents=True)
    (home / ".agents/skills").symlink_to(tmp_path / "dotfiles/skills")

    assert [skill.name for skill in read_project(project, project, home).skills] == ["x"]


def test_what_is_no_text_or_too_long_is_a_notice(project):
    put(
        project,
        {
            ".msgbook/rules/bin.md": b"\0\1\2",
            ".msgbook/rules/long.md": b"x" * (FILE_LIMIT + 1),
            ".msgbook/rules/utf16.md": "ok".encode("utf-16"),
        },
    )

    found = read_project(project, project)

    assert found.rules == (ProjectRule("utf16.md", "ok"),)
    assert found.notices == (
        ".msgbook/rules/bin.md: not read, since it is not text.",
        f".msgbook/rules/long.md: not read, since it is longer than {FILE_LIMIT} bytes.",
    )


def test_what_is_no_regular_file_is_not_opened(project):
    put(project, {".msgbook/rules/ok.md": "ok"})
    os.mkfifo(project / "AGENTS.md")
    (project / ".msgbook/rules/self.md").symlink_to("self.md")
    (project / ".msgbook/rules/gone.md").symlink_to("nowhere.md")
    (project / ".msgbook/rules/dir.md").mkdir()
    put(project, {".agents": "a file", ".msgbook/agents": "a file"})

    found = read_project(project, project)

    assert names(found.rules) == ["ok.md"]
    assert len(found.notices) == 4


def test_of_too_many_files_the_first_are_read(project):
    put(project, {f".msgbook/rules/{n:04}.md": "x" for n in range(MOST_FILES + 1)})

    found = read_project(project, project)

    assert len(found.rules) == MOST_FILES
    assert "only the first" in found.notices[0]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_no_message_can_carry_is_mended(project):
    put(project, {".msgbook/rules/" + os.fsdecode(b"\xff.md"): "x"})

    assert names(read_project(project, project).rules) == ["\ufffd.md"]
