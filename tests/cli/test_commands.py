"""The verbs that look at files: what they print, what they leave alone, how they end."""

from __future__ import annotations

import json
from contextlib import suppress

import nbformat
import pytest
from listed_chat import CHAT

from msgbook.__main__ import main

AGENTS = "---\n# who\nagents:\n  writer: {models: gpt-5}  # keep\n  critic: {}\n---\n\n"
OPEN = "# %% [^a]\n\n[^a]: [code]\n\n```python\nprint(1)\n"


@pytest.fixture
def chat(tmp_path):
    folder = tmp_path / "a b" / "c.msg.md"
    folder.mkdir(parents=True)
    path = folder / "chat.msg.md"
    path.write_text(AGENTS + CHAT)
    return path


def run(*argv):
    return main([str(argument) for argument in argv])


def test_list_shows_a_line_for_each_cell(chat, capsys):
    assert run("list", chat) == 0

    assert capsys.readouterr().out == (
        "hello\tprompt\tGreeting\n"
        "rule\tsystem\tBe [31mbrief.\n"
        "n\tnote\tA note\n"
        "fast\tcode\t%agent new fast models=x\n"
        f"r\traw\t{'x' * 79}…\n"
    )


def test_list_shows_the_agents_with_the_default_first(chat, capsys):
    assert run("list", f"{chat}/agent") == 0

    assert capsys.readouterr().out == "writer\ncritic\nguest\nfast\n"


def test_list_shows_the_text_of_a_cell(chat, capsys):
    assert run("list", f"{chat}/hello") == 0

    assert capsys.readouterr().out == "Hi\tthere\n\nMore\n"


def test_list_reads_notebooks(tmp_path, capsys):
    path = tmp_path / "a.ipynb"
    cells = [nbformat.v4.new_code_cell("1 + 1", id="sum"), nbformat.v4.new_markdown_cell("# T")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)

    assert run("list", path) == 0
    assert run("list", f"{path}/sum") == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines == ["sum\tcode\t1 + 1", f"{cells[1].id}\tnote\t# T", "1 + 1"]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("no.msg.md", "No such file or directory"),
        ("no.msg.md/agent", "No such file or directory"),
        (".", "Is a directory"),
        ("README.md", "message_section"),
        ("bad.ipynb", "bad.ipynb"),
        ("odd.ipynb", "odd.ipynb"),
        ("latin.msg.md/a", "expected UTF-8 text"),
    ],
)  # fmt: skip
def test_list_says_what_it_cannot_read_in_one_line(chat, capsys, target, told):
    (chat.parent / "README.md").write_text("# %% quoted\n")
    (chat.parent / "bad.ipynb").write_text("{")
    (chat.parent / "odd.ipynb").write_text('{"nbformat": 4, "nbformat_minor": 5, "cells": 3}')
    (chat.parent / "latin.msg.md").write_bytes(b"\xe9")

    assert run("list", f"{chat.parent}/{target}") == 2

    printed = capsys.readouterr()
    assert told in printed.err
    assert (printed.out, printed.err.count("\n")) == ("", 1)


def test_list_names_the_nearest_cells_where_none_has_the_id(chat, capsys):
    assert run("list", f"{chat}/hallo") == 2

    printed = capsys.readouterr()
    words, *named = printed.err.splitlines()
    assert words.endswith("chat.msg.md has the id 'hallo'; the nearest are:")
    assert (printed.out, named) == ("", ["  hello (Greeting)"])


@pytest.mark.parametrize("target", ["{}", "{}/agent", "chat.msg.md/{}"])
def test_list_says_in_one_line_that_a_name_is_too_long(chat, capsys, target):
    assert run("list", chat.parent / target.format("x" * 5000)) == 2

    printed = capsys.readouterr()
    assert (printed.err.count("\n"), "too long" in printed.err) == (1, True)


def test_check_goes_on_behind_a_file_that_it_cannot_read(chat, capsys):
    broken, fine = chat.parent / "b\x1b.msg.md", chat.parent / "fine.msg.md"
    broken.write_text(OPEN)
    fine.write_text(OPEN + "```\n")
    shown = str(broken).replace("\x1b", "")

    assert run("check", fine) == 0
    assert run("check", broken, fine) == 1
    assert run("check", chat.parent / "none.msg.md", broken, chat.parent) == 2

    printed = capsys.readouterr()
    start = f"{shown}:5: unclosed-fence "
    assert [line[: len(start)] for line in printed.out.splitlines()] == [start, start]
    assert [line.rpartition(": ")[2] for line in printed.err.splitlines()] == [
        "No such file or directory",
        "name the message files in it, such as *.msg.md",
    ]


@pytest.mark.parametrize(("verb", "more"), [("check", []), ("set-default", ["writer"])])
def test_what_works_on_text_says_how_a_notebook_becomes_one(tmp_path, capsys, verb, more):
    path = tmp_path / "my chat.ipynb"
    nbformat.write(nbformat.v4.new_notebook(), path)
    before = path.read_bytes()

    assert run(verb, path, *more) == 2

    told = f"{path}: expected a message file, got a notebook (.ipynb). Convert it with `msgbook convert"
    printed = f"msgbook {verb}: {told} '{path}' '{tmp_path / 'my chat.msg.md'}'`.\n"
    assert capsys.readouterr() == ("", printed)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("verb", "more"), [("check", []), ("set-default", ["writer"])])
def test_what_works_on_text_does_not_say_how_a_broken_notebook_becomes_one(
    tmp_path, capsys, verb, more
):
    path = tmp_path / "broken.ipynb"
    path.write_text('{"cells": [\n')

    assert run(verb, path, *more) == 2

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(
        f"msgbook {verb}: {path}: expected a notebook, found an error in "
    )


def test_check_prints_one_list_as_json(chat, capsys):
    (chat.parent / "x.msg.md").write_text(OPEN)

    assert run("check", "--json", chat.parent / "x.msg.md", chat.parent / "x.msg.md") == 1

    found = json.loads(capsys.readouterr().out)
    assert [(f["line"], f["code"], f["fixable"]) for f in found] == [
        (5, "unclosed-fence", True)
    ] * 2
    assert found[0].keys() == {"file", "line", "code", "message", "fixable"}


def test_check_knows_the_agents_of_the_project_and_of_the_settings(chat, capsys, monkeypatch):
    settings, agents = chat.parent / "msgbook.toml", chat.parent / ".msgbook/agents"
    settings.write_text("[agents.mine]\nmodels = 'm'\n")
    monkeypatch.setenv("MSGBOOK_CONFIG", str(settings))
    agents.mkdir(parents=True)
    (agents / "ours.md").write_text("Be brief.")
    for name, code in (("mine", 0), ("ours", 0), ("assistant", 0), ("nobodys", 1)):
        path = chat.parent / f"{name}.msg.md"
        path.write_text(f"---\ndefault_agent: {name}\n---\n\n# %%\n\nHi\n")

        assert run("check", path) == code

    assert "nobodys.msg.md:2: unknown-agent `default_agent` names" in capsys.readouterr().out


def test_check_mends_what_is_safe_and_prints_what_is_left(chat, capsys):
    path = chat.parent / "x.msg.md"
    path.write_text(OPEN + "\n# %% b\n\n#%%\n")

    assert run("check", "--fix", path) == 1

    printed = capsys.readouterr()
    assert path.read_text() == OPEN + "```\n\n# %% b\n\n#%%\n"
    assert printed.out.startswith(f"{path}:11: near-marker ")
    assert printed.out.count("\n") == 1
    assert printed.err.endswith("fixed 1 of 2 findings\n")


def test_check_does_not_touch_a_file_without_anything_to_mend(chat):
    before = chat.stat()

    assert run("check", "--fix", chat) == 1
    assert (chat.stat().st_mtime_ns, chat.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_set_default_adds_one_line(chat):
    assert run("set-default", chat, "guest") == 0

    assert chat.read_text() == AGENTS[:-5] + "default_agent: guest\n---\n\n" + CHAT


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# %% a\n", "---\ndefault_agent: b\n---\n\n# %% a\n"),
        ("\ufeff# %% a\r\n", "\ufeff---\r\ndefault_agent: b\r\n---\r\n\r\n# %% a\r\n"),
        ("", "---\ndefault_agent: b\n---\n"),
        ("---\ndefault_agent: a # who\n---\n", "---\ndefault_agent: b # who\n---\n"),
        ("---\ndefault_agent: 'it''s'\nx: 1\n---\n", "---\ndefault_agent: b\nx: 1\n---\n"),
        ("---\ndefault_agent:\nx: 1\n---\n", "---\ndefault_agent: b\nx: 1\n---\n"),
        ("---\r\ndefault_agent: a\r\n---\r\n", "---\r\ndefault_agent: b\r\n---\r\n"),
        (
            "---\njupyter:\n  nbformat_minor: 4\n---\n",
            "---\ndefault_agent: b\njupyter:\n  nbformat_minor: 4\n---\n",
        ),
        ("---\ndefault_agent:   \"b\"\n---\n", "---\ndefault_agent:   \"b\"\n---\n"),
    ],
)  # fmt: skip
def test_set_default_changes_that_line_only(tmp_path, before, after):
    path = tmp_path / "chat.msg.md"
    path.write_bytes(before.encode())

    assert run("set-default", path, "b") == 0
    assert path.read_bytes().decode() == after


def test_set_default_says_that_nothing_defines_an_agent_and_which_there_are(tmp_path, capsys):
    (tmp_path / ".msgbook" / "agents").mkdir(parents=True)
    (tmp_path / ".msgbook" / "agents" / "local.md").write_text("Be brief.")
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% a\n")

    assert run("set-default", path, "local") == 0
    assert capsys.readouterr().err == ""
    assert run("set-default", path, "nobody") == 0

    told = capsys.readouterr().err
    assert f"{path}: default_agent is now nobody. There is no agent" in told
    assert "the known agents are local, assistant." in told
    assert run("chat", "--continue", path, "Hi") == 1
    assert "There is no agent 'nobody'; the known agents are local, assistant." in (
        capsys.readouterr().err
    )


def test_set_default_quotes_what_yaml_would_read_otherwise(tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    for name in ("no", "a: b", "模型 x", "gpt-5", "5"):
        path.write_text("# %% a\n")

        assert run("set-default", path, name) == 0
        assert run("list", f"{path}/agent") == 0
        assert capsys.readouterr().out == f"{name}\n"


def test_set_default_works_above_a_message_section(tmp_path):
    path = tmp_path / "README.md"
    path.write_text("---\nmessage_section: true\n---\n# T\n\n## Discussion\n")

    assert run("set-default", path, "b") == 0
    assert path.read_text() == (
        "---\nmessage_section: true\ndefault_agent: b\n---\n# T\n\n## Discussion\n"
    )


@pytest.mark.parametrize(
    ("frontmatter", "agent", "told"),
    [
        ("agents: {a: {}, c: {}}", "b", "got 'b'. It has a, c"),
        ("x: [", "b", "line 3"),
        ("{x: 1}", "b", "is not on a line of its own"),
        ("- x", "b", "expected `key: value` lines"),
        ("default_agent: |\n  a", "b", "is not on a line of its own"),
        ("", "b\x1b", "expected the name of an agent"),
        ("", "", "expected the name of an agent"),
    ],
)
def test_set_default_refuses_what_it_cannot_do_safely(tmp_path, capsys, frontmatter, agent, told):
    path = tmp_path / "chat.msg.md"
    text = f"---\n{frontmatter}\n---\n\n# %% a\n"
    path.write_text(text)

    assert run("set-default", path, agent) == 2
    assert path.read_text() == text
    assert told in capsys.readouterr().err


def test_jupytext_gets_all_that_follows_its_name(capsys):
    with pytest.raises(SystemExit) as ended:
        run("jupytext", "--help")

    assert ended.value.code == 0
    assert "--set-formats" in capsys.readouterr().out


def test_jupytext_follows_configuration_that_is_no_program_and_the_users_own(tmp_path, monkeypatch):
    home, folder = tmp_path / "home", tmp_path / "folder"
    (home / "jupytext").mkdir(parents=True)
    folder.mkdir()
    (home / "jupytext" / ".jupytext.py").write_text("c.formats = 'ipynb,py:percent'\n")
    (folder / "a.py").write_text("# %%\n1\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))

    assert run("jupytext", "--sync", folder / "a.py") == 0
    assert (folder / "a.ipynb").exists()

    (folder / "jupytext.toml").write_text("formats = 'py:percent,md'\n")
    (folder / "b.py").write_text("# %%\n1\n")

    assert run("jupytext", "--sync", folder / "b.py") == 0
    assert sorted(path.name for path in folder.glob("b.*")) == ["b.md", "b.py"]


@pytest.mark.parametrize(
    "arguments", [["{}"], ["run", "{}", "{}"], ["doctor", "{}"], ["list", "--{}"]]
)
def test_a_usage_error_steers_no_terminal(capsys, arguments):
    evil = "x\x1b[2J\x9b31m\u202ey"

    with pytest.raises(SystemExit) as ended:
        main([argument.format(evil) for argument in arguments])

    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert not {"\x1b", "\x9b", "\u202e"} & set(said)


@pytest.mark.parametrize(
    "argv",
    [
        ["HOSTILE"],
        ["list", "a.msg.md", "HOSTILE"],
        ["run", "a.msg.md", "--approval", "HOSTILE"],
        ["doctor", "--timeout", "HOSTILE"],
        ["list", "HOSTILE.msg.md"],
        ["list", "HOSTILE.ipynb/agent"],
        ["check", "HOSTILE.msg.md"],
        ["preview", "HOSTILE"],
        ["run", "HOSTILE"],
        ["chat", "HOSTILE", "hi"],
        ["trust", "HOSTILE"],
        ["fork", "HOSTILE", "--at", "x"],
        ["set-default", "HOSTILE", "HOSTILE"],
        ["chat", "a.msg.md", "hi", "--agent", "HOSTILE"],
        ["demo", "HOSTILE", "--headless"],
        ["jupytext", "HOSTILE.msg.md"],
        ["jupytext", "--to", "HOSTILE", "a.msg.md"],
    ],
    ids=" ".join,
)
def test_no_word_of_an_argument_steers_the_terminal(tmp_path, argv, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "HOSTILE").write_text("")
    hostile = "\x1b]0;owned\x07\x9b2J\u202e"
    (tmp_path / hostile).write_text("")

    with suppress(SystemExit):
        main([word.replace("HOSTILE", hostile) for word in argv])

    out, err = capfd.readouterr()
    assert err
    assert not set("\x1b\x07\x9b\u202e") & set(out + err)
