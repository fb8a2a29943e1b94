"""The verbs on a Python notebook that talks: its messages are answered, its code is not run."""

from __future__ import annotations

import json

import pytest
from command import with_settings
from nbformat import v4
from run_chat import turns, words
from scripted_server import ScriptedServer, text

from msgbook.__main__ import main
from msgbook.cli.chat import chat
from msgbook.cli.convert import convert
from msgbook.cli.preview import preview_file
from msgbook.cli.run import run_file
from msgbook.cli.terminal import CommandError
from msgbook.notebook import source_of
from msgbook_format import read, write
from msgbook_format.syntax import CODE_FIRST_KERNELSPEC

SOURCES = (
    "df = [1, 2]\ndf",
    "%%msg\nWhat is above?",
    "print(df)",
    "%%msg history=exclude\nAnd below?",
)


@pytest.fixture(params=[".ipynb", ".msg.md"])
def path(request, tmp_path):
    made = tmp_path / f"analysis{request.param}"
    cells = [v4.new_code_cell(source, id=f"cell-{n}") for n, source in enumerate(SOURCES)]
    cells[0]["outputs"] = [v4.new_output("stream", text="[1, 2]\n")]
    cells[0]["execution_count"] = 1
    metadata = {"kernelspec": {**CODE_FIRST_KERNELSPEC, "name": "msgbook-python-gone"}}
    notebook = v4.new_notebook(cells=cells, metadata=metadata)
    if request.param == ".ipynb":
        made.write_text(json.dumps(notebook), "utf-8")
    else:
        write(notebook, made)
    return made


def sources(path):
    return [source_of(cell) for cell in _notebook(path)["cells"]]


def _notebook(path):
    return json.loads(path.read_text("utf-8")) if path.suffix == ".ipynb" else read(path)


def sent(server: ScriptedServer, number: int = -1):
    messages = server.requests[number]["messages"]
    return [(message["role"], message["content"]) for message in messages][1:]


def test_a_run_answers_its_messages_even_if_the_kernelspec_is_gone(server, path, capsys):
    server.answers = [text("Code."), text("Nothing.")]

    assert with_settings(server, run_file, path) == 0

    first, second = sent(server, 0)
    assert first[1].startswith("I ran this code:\n\n```python\ndf = [1, 2]\ndf\n```")
    assert "[1, 2]" in first[1].split("Output")[1]
    assert second == ("user", "What is above?")
    assert "print(df)" in str(sent(server, 1))
    assert sources(path) == list(SOURCES)
    assert "cell-2" in capsys.readouterr().err


def test_a_preview_shows_the_same_request(server, path, capsys):
    server.answers = [text("Code."), text("Nothing.")]
    assert with_settings(server, preview_file, path, "cell-1", as_json=True, of_run=True) == 0
    shown = json.loads(capsys.readouterr().out)

    with_settings(server, run_file, path)

    assert shown["messages"] == server.requests[0]["messages"]


def test_code_is_no_prompt(server, path, capsys):
    assert with_settings(server, preview_file, path, "cell-0") == 1
    assert "is not a prompt" in capsys.readouterr().err


def test_a_list_tells_messages_from_code(path, capsys):
    assert main(["list", str(path)]) == 0

    kinds = [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()]
    assert kinds == ["code", "prompt", "code", "prompt"]


@pytest.mark.parametrize("words_", ["x = 1", "%%msg agent=x", "!ls", "%continue"])
def test_a_message_from_the_terminal_is_one_in_the_notebook(server, path, words_, capsys):
    server.answers = [text("Yes.")]

    assert with_settings(server, chat, path, words_, go_on=True) == 0

    assert sources(path)[-1] == f"%%msg\n{words_}"
    assert sent(server)[-1] == ("user", words_)


def test_both_forms_hold_the_same_notebook(path, tmp_path):
    other = tmp_path / ("other.msg.md" if path.suffix == ".ipynb" else "other.ipynb")

    assert convert(path, other) == 0

    assert sources(other) == list(SOURCES)
    assert _notebook(other)["metadata"]["kernelspec"]["name"] == "msgbook-python-gone"


def test_an_agents_file_is_made_of_a_chat_alone(path, tmp_path):
    with pytest.raises(CommandError, match="msgbook-python-gone"):
        convert(path, tmp_path / "agent.mtm")


def test_turns_and_code_are_exported_as_what_they_are(server, path, tmp_path, capsys):
    server.answers = [text("It is **code**."), text("Nothing.")]
    with_settings(server, run_file, path)
    new = tmp_path / "page.md"

    assert main(["export", str(path), "--to", "markdown", "--output", str(new), "--excluded"]) == 0

    page = new.read_text("utf-8")
    assert "```python\ndf = [1, 2]\ndf\n```" in page
    assert "What is above?" in page
    assert "%%msg\nWhat" not in page
    assert "It is **code**." in page
    notebook = tmp_path / "shared.ipynb"
    assert (
        main(["export", str(path), "--to", "notebook", "--output", str(notebook), "--excluded"])
        == 0
    )
    kept = json.loads(notebook.read_text("utf-8"))
    assert kept["metadata"]["kernelspec"]["name"] == "msgbook-python-gone"
    assert [source_of(cell) for cell in kept["cells"]] == list(SOURCES)


def test_an_answer_is_in_the_file(server, path):
    server.answers = [text("Code."), text("Nothing.")]
    with_settings(server, run_file, path)

    if path.suffix == ".msg.md":
        assert words(turns(path)["cell-1"]) == "Code."
        assert "\nWhat is above?\n" in path.read_text("utf-8")
        assert "%%msg\n" not in path.read_text("utf-8")
