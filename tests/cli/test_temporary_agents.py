"""A temporary agent exists below its cell: `run`, `check`, `set-default` and `list` say the same of it."""

from __future__ import annotations

import pytest
from command import with_settings
from scripted_server import text

from msgbook.__main__ import main
from msgbook.cli.run import run_file
from msgbook.cli.set_default import set_default
from msgbook.cli.terminal import CommandError
from msgbook_format import check, read
from msgbook_format.turn import turn_of

NEW = "[^new]: [code]\n\n```ipython\n%agent new qwen3\n```\n"
DEFAULT = "[^default]: [code]\n\n```ipython\n%agent default qwen3\n```\n"
ANSWERED = "Old\n\n# %%% [^old-1]\n\n[^old-1]: [assistant]\n\nAnswer\n"


def conversation(*cells: str, frontmatter: str = "") -> str:
    """A text with cells; one word is both the label and the text of a message."""
    texts = {"new": NEW, "default": DEFAULT, "old": ANSWERED}
    parts = [f"# %% [^{name}]\n\n{texts.get(name, name)}" for name in cells]
    head = f"---\n{frontmatter}---\n\n" if frontmatter else ""
    return head + "\n\n".join(part.rstrip() for part in parts) + "\n"


def failing_prompts(server, path):
    """The messages that `run` cannot answer; each is run in a file that ends with it."""
    server.answers = [text("Yes.")]
    failed = set()
    whole = path.read_text()
    for name in ("above", "between", "below"):
        before, marker, _ = whole.partition(f"# %% [^{name}]")
        if marker:
            path.write_text(f"{before}{marker}\n\n{name}\n")
            with_settings(server, run_file, path, first=name)
            turns = [turn_of(output) for output in read(path).cells[-1]["outputs"]]
            failed |= {name for turn in turns if turn and turn["status"] == "error"}
    path.write_text(whole)
    return failed


@pytest.mark.parametrize(
    ("cells", "frontmatter", "failing"),
    [
        (["new", "below"], "default_agent: qwen3\n", set()),
        (["above", "new", "below"], "default_agent: qwen3\n", {"above"}),
        (["old", "new", "below"], "default_agent: qwen3\n", set()),
        (["old", "new", "below"], "agents: {a: {}}\ndefault_agent: qwen3\n", set()),
        (["above", "new"], "agents: {a: {}, qwen3: {}}\ndefault_agent: qwen3\n", set()),
        (["above", "new", "default", "below"], "", set()),
        (["default", "between", "new", "below"], "", {"between"}),
        (["new", "default", "below"], "default_agent: other\nagents: {other: {}}\n", set()),
    ],
)
def test_check_reports_the_messages_that_run_cannot_answer(
    server, tmp_path, cells, frontmatter, failing
):
    path = tmp_path / "chat.msg.md"
    path.write_text(conversation(*cells, frontmatter=frontmatter))
    lines = path.read_text().splitlines()

    found = check(path.read_text(), agents=())

    assert failing_prompts(server, path) == failing
    assert {finding.code for finding in found} == ({"agent-too-late"} if failing else set())
    assert {lines[finding.line - 1] for finding in found} == {f"# %% [^{name}]" for name in failing}


def test_a_temporary_agent_can_be_the_default_and_messages_above_it_are_named(tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    path.write_text(conversation("above", "old", "new", "below"))

    assert set_default(path, "qwen3") == 0

    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert f"{path}:5: `default_agent` names the agent `qwen3`" in told
    assert main(["list", f"{path}/agent"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "qwen3"
    assert main(["check", str(path)]) == 1
    assert f"{path}:5: agent-too-late" in capsys.readouterr().out


def test_an_agent_of_the_project_can_be_the_default_of_a_file_with_agents(tmp_path, capsys):
    folder = tmp_path / ".msgbook" / "agents"
    folder.mkdir(parents=True)
    (folder / "local.md").write_text("Be brief.")
    path = tmp_path / "chat.msg.md"
    path.write_text(conversation("Hello", frontmatter="agents: {a: {}}\n"))

    assert set_default(path, "local") == 0
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr() == ("", "")
    with pytest.raises(CommandError, match="expected an agent of this conversation"):
        set_default(path, "nobody")


def test_a_default_cell_that_names_nothing_is_reported(tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    path.write_text(conversation("default", "Hello"))

    assert main(["check", str(path)]) == 1
    assert "unknown-agent `%agent default` names `qwen3`" in capsys.readouterr().out
