"""A rule covers what its author thought of, and nothing that only looks like it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.approval import Rule, Rules, StoreError
from msgbook.approval.rule import read_rules
from msgbook.approval.store import Store

HERE = Path("/project/notes")


def shell_rule(command: str) -> Rule:
    return Rule("shell", {"command": command})


def covers(pattern: str, command: str) -> bool:
    return shell_rule(pattern).covers("shell", json.dumps({"command": command}), HERE)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "rules.json"


@pytest.fixture
def saved(file: Path) -> Rules:
    return Rules(kept=Store(file))


def test_a_star_stands_for_any_harmless_text():
    assert covers("git log*", "git log")
    assert covers("git log *", "git log --oneline -5 src/a b.py")
    assert covers("git * --stat", "git show HEAD --stat")
    assert covers("make && make *", "make && make test")
    assert not covers("git log *", "git log")
    assert not covers("git log", "git log -1")


@pytest.mark.parametrize(
    "rest",
    [
        "; rm -rf x",
        "& evil",
        "&& evil",
        "| sh",
        "\nrm x",
        "\rrm x",
        "`evil`",
        "$(evil)",
        "$HOME",
        "> ~/.bashrc",
        "< secret",
        "'a b'",
        '"a b"',
        "\\x",
        "(evil)",
        "../../etc/passwd",
        ".{.,}/x",
        ".[.]/x",
        ".?/x",
        ".*/x",
        "~/.ssh/id",
        "#",
        "!!",
        "a\u202eb",
        "a\u2028b",
        "a\0b",
        "a\u00a0b",
    ],
)
def test_a_star_never_stands_for_what_a_shell_or_a_reader_takes_otherwise(rest):
    assert not covers("git log *", f"git log {rest}")
    assert not covers("git log * -1", f"git log {rest} -1")


@given(st.text(), st.text())
def test_without_a_star_a_rule_covers_itself_alone(pattern, command):
    pattern = pattern.replace("*", "")
    assert covers(pattern, command) == (pattern == command)


@given(st.lists(st.text("ab;"), min_size=1), st.text("ab;"))
def test_what_is_covered_is_the_pattern_with_harmless_text_in_its_stars(pieces, text):
    if covers("*".join(pieces), text):
        assert text.count(";") == "".join(pieces).count(";")


def test_a_call_with_an_argument_that_the_rule_does_not_name_is_not_covered():
    rule = shell_rule("make")

    assert rule.covers("shell", '{"command": "make"}', HERE)
    assert not rule.covers("shell", '{"command": "make", "timeout": 9999}', HERE)
    assert not rule.covers("shell", "{}", HERE)
    loose = Rule("shell", {"command": "make", "timeout": "*"})
    assert loose.covers("shell", '{"command": "make"}', HERE)
    assert loose.covers("shell", '{"command": "make", "timeout": 9}', HERE)
    assert not loose.covers("shell", '{"command": "make", "timeout": ["x"]}', HERE)


@pytest.mark.parametrize(
    "arguments",
    ['{"command": "make", "command": "make"}', "[]", "nonsense", "[" * 10_000],
)
def test_arguments_that_can_be_read_in_two_ways_are_not_covered(arguments):
    assert not shell_rule("*").covers("shell", arguments, HERE)
    assert not shell_rule("make").covers("shell", arguments, HERE)


def test_a_rule_holds_for_its_tool_and_below_its_folder():
    rule = Rule("shell", None, Path("/project"))

    assert rule.covers("shell", '{"command": "anything"}', HERE)
    assert not rule.covers("write", "{}", HERE)
    assert not rule.covers("shell", "{}", Path("/project2"))


def test_tables_that_are_no_rules_approve_nothing_and_give_a_warning():
    tables = [
        {"tool": "shell", "arguments": {"command": "make"}},
        {"tool": "shell", "command": "make"},
        {"arguments": {}},
        "shell",
        {"tool": "shell", "arguments": "make"},
        {"tool": "shell", "folder": "relative"},
        {"tool": "shell", "folder": "~nobody-of-that-name/x"},
    ]

    rules, warnings = read_rules(tables, "msgbook.toml")

    assert rules == [shell_rule("make")]
    assert len(warnings) == 6
    assert all("it is ignored" in warning for warning in warnings)
    assert "rule 2 of [approval] has the unknown key 'command'" in warnings[0]


def test_a_rule_whose_folder_leads_nowhere_allows_nothing_and_is_said(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    tables = [{"tool": "x", "folder": folder} for folder in ("/a\0b", str(tmp_path / "loop/b"))]

    rules, warnings = read_rules(tables, "msgbook.toml")

    assert rules == []
    assert ["has a folder that" in warning for warning in warnings] == [True, True]


def test_what_stands_behind_a_star_is_never_made_a_comment():
    assert not covers("git push * --dry-run", "git push origin # --dry-run")


def test_rules_of_a_project_hold_in_it_alone(tmp_path):
    inside = {"tool": "shell", "folder": str(tmp_path / "a")}
    rules, _ = read_rules([{"tool": "x"}, {"tool": "y", "folder": "/"}, inside], "c", tmp_path)

    assert [rule.folder for rule in rules] == [tmp_path, tmp_path, (tmp_path / "a").resolve()]


def test_a_saved_rule_is_exactly_one_call_in_one_folder(saved):
    saved.add("shell", '{"command": "ls *", "timeout": 5}', HERE)

    assert saved.find("shell", '{ "timeout":5, "command":"ls \\u002a" }', HERE)
    assert not saved.find("shell", '{"command": "ls -l", "timeout": 5}', HERE)
    assert not saved.find("shell", '{"command": "ls *", "timeout": 5.0}', HERE)
    assert not saved.find("shell", '{"command": "ls *", "timeout": 5}', HERE / "below")
    assert not saved.find("python", '{"command": "ls *", "timeout": 5}', HERE)


def test_saved_rules_are_the_users_alone_and_kept_once(saved, file):
    saved.add("a", "{}", HERE)
    saved.add("a", "", HERE)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(json.loads(file.read_text())["rules"]) == 1


def test_what_another_version_wrote_stays_in_the_file(saved, file):
    file.parent.mkdir()
    file.write_text('{"version": 2, "later": 1, "rules": [{"tool": "x", "until": 5}, "odd"]}')

    saved.add("a", "{}", HERE)
    saved.forget(saved.remembered(HERE))

    assert json.loads(file.read_text()) == {
        "version": 1,
        "later": 1,
        "rules": [{"tool": "x", "until": 5}, "odd"],
    }


@pytest.mark.parametrize("text", ["", "{", "[]", '{"rules": 5}', "\xff", "[" * 100_000])
def test_a_file_that_cannot_be_read_allows_nothing_and_is_not_overwritten(saved, file, text):
    file.parent.mkdir()
    file.write_text(text, "latin-1")

    with pytest.raises(StoreError, match=r"rules\.json"):
        saved.find("a", "{}", HERE)
    with pytest.raises(StoreError):
        saved.add("a", "{}", HERE)
    assert file.read_text("latin-1") == text


def test_a_saved_rule_for_a_path_holds_only_while_that_leads_to_the_same_place(saved):
    saved.add("read", '{"path": "../data/x"}', HERE, "/project/data/x")

    assert saved.find("read", '{"path": "../data/x"}', HERE, "/project/data/x")
    assert not saved.find("read", '{"path": "../data/x"}', HERE, "/home/me/letters/x")
    assert not saved.find("read", '{"path": "../data/x"}', HERE)
    assert [item.path for item in saved.remembered(HERE)] == ["/project/data/x"]


@pytest.mark.parametrize(
    ("pattern", "path", "real", "covered"),
    [
        ("../data/*", "../data/a.csv", "/project/data/a.csv", True),
        ("../data/*", "link", "/project/data/a.csv", True),
        ("../data/*", "../data/a.csv", "/home/me/letters/a.csv", False),
        ("../data/a.csv", "../data/a.csv", "/home/me/a.csv", False),
        ("*", "notes.txt", "/project/notes/notes.txt", True),
        ("*", "notes.txt", "/home/me/letters/a.csv", False),
        ("./sub/../new*", "new.txt", "/project/notes/new.txt", True),
        ("/srv/data/*", "mnt/x", "/srv/data/x", True),
        ("/srv/data/*", "/srv/data/x", "/etc/passwd", False),
    ],
)
def test_a_rule_for_a_path_is_held_against_where_it_leads(pattern, path, real, covered):
    rule = Rule("read", {"path": pattern, "start": "*"})

    assert rule.covers("read", json.dumps({"path": path}), HERE, real) is covered
    assert not rule.covers("read", json.dumps({"path": path, "end": 3}), HERE, real)
