"""`msgbook demo`, as somebody types it first."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from msgbook.__main__ import main
from msgbook.approval.trust import find_project
from msgbook.cli.demo import lab_environment, prepare
from msgbook.config import load_settings


def test_asked_through_another_agent_it_counts_the_messages_and_not_the_agents_turns(
    tmp_path: Path, capsys
):
    path = tmp_path / "chat.msg.md"
    path.write_text("---\nagents: {a: {}, b: {}}\n---\n")
    for agent, words in (("a", "Hi"), ("b", "And now?")):
        assert main(["chat", str(path), "--continue", words, "--agent", agent]) == 0

    answers = capsys.readouterr().out
    assert answers.count("images: ![a circle]") == 1
    assert "**2 messages of yours**, this one included. The first begins: “Hi”" in answers


def test_what_is_there_is_used_not_replaced_and_the_rest_is_written(tmp_path: Path):
    for name in ("rain.ipynb", "demo.msg.md"):
        (tmp_path / name).write_text("My own words.")

    assert prepare(tmp_path).read_text() == "My own words."
    assert (tmp_path / "demo.msg.md").read_text() == "My own words."
    assert (tmp_path / "rain.csv").read_text().startswith("month,mm\n")


def test_it_begins_with_a_notebook_for_the_kernel_of_python_that_leads_to_the_chat(tmp_path: Path):
    path = prepare(tmp_path)

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "msgbook-python"
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert [source.startswith("%%msg\n") for source in code] == [False, False, True, False]
    assert not [cell.source for cell in notebook.cells if cell.get("outputs")]
    (linked,) = re.findall(r"\]\((.+?)\)", notebook.cells[-1].source)
    assert (tmp_path / linked).read_text().startswith("# %% A tour in five steps")
    # The sample's text is as the writer writes it: nothing of it has to be kept beside the cells.
    assert '"text"' not in str(notebook).replace("'", '"')


def test_a_new_folder_is_a_project_of_its_own_and_an_old_one_stays_in_its_project(tmp_path: Path):
    """Sub-agents work in the project: the tour's are found where JupyterLab shows the tour."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "old").mkdir()

    found = [find_project(prepare(tmp_path / name).parent) for name in ("new", "old")]

    assert found == [tmp_path / "new", tmp_path]


@pytest.mark.parametrize("name", ["rain.csv", "rain.ipynb", "demo.msg.md"])
def test_no_link_is_written_through(tmp_path: Path, name: str):
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")

    prepare(tmp_path)

    assert not (tmp_path / "elsewhere").exists()


def test_what_cannot_be_used_is_said_in_one_line(tmp_path: Path, capsys):
    (tmp_path / "file").write_text("")

    assert main(["demo", str(tmp_path / "file"), "--headless"]) == 2

    said = capsys.readouterr().err
    assert said.startswith(f"msgbook demo: {tmp_path / 'file'} is a file: DIR has to be a folder")
    assert said.count("\n") == 1


def test_without_settings_a_model_that_is_connected_in_the_demo_answers(tmp_path: Path):
    file = tmp_path / "msgbook.toml"
    file.write_text("[limits]\nmax_steps = 7\n")
    environment = lab_environment({"MSGBOOK_CONFIG": str(file)})
    file.write_text('model = "mine"\n[providers.main]\nbase_url = "http://127.0.0.1:1/v1"\n')

    assert load_settings(environment).model == "mine"


@pytest.mark.parametrize(
    "settings",
    [
        {"OPENAI_API_KEY": "sk-1"},
        {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"},
        {"MSGBOOK_MODEL": "other"},
        {"MSGBOOK_MODEL": "two\nlines"},
    ],
)
def test_with_other_settings_the_demo_model_answers(tmp_path: Path, settings: dict[str, str]):
    file = tmp_path / "msgbook.toml"
    file.write_text("")
    environment = lab_environment({**settings, "MSGBOOK_CONFIG": str(file)})

    assert load_settings(environment).model == "demo"
