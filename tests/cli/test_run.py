"""`msgbook run`: which prompts it answers, what it sends, what is in the file whatever happens."""

from __future__ import annotations

import json

import nbformat
import pytest
from command import said, with_settings
from run_chat import (
    CHAT,
    chat,  # noqa: F401 - fixtures
    turns,
    words,
)
from scripted_server import Answer, call, delta, error, finish, text

from msgbook.__main__ import main
from msgbook.cli.file_prompts import prompts_to_answer
from msgbook.cli.run import run_file
from msgbook.cli.terminal import CommandError
from msgbook.notebook.conversation_file import Document
from msgbook.turn import Purse
from msgbook_format import read, writes
from msgbook_format.syntax import CHAT_CELLS
from msgbook_format.turn import TURN_MIME


def test_where_all_is_answered_nobody_is_asked_and_the_file_is_not_touched(server, chat, capsys):
    server.answers = [text("2")]
    with_settings(server, run_file, chat)
    before, asked = chat.stat(), len(server.requests)
    capsys.readouterr()

    assert with_settings(server, run_file, chat) == 0

    assert (capsys.readouterr().out, len(server.requests)) == ("", asked)
    assert (chat.stat().st_mtime_ns, chat.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


@pytest.mark.parametrize(
    ("options", "asked"),
    [({"again": True}, ["one", "two", "three"]), ({"first": "code"}, ["two", "three"])],
)
def test_answers_are_asked_for_anew_with_the_cells_above_them_alone(server, chat, options, asked):
    server.answers = [text("stale")]
    with_settings(server, run_file, chat)
    server.reset()
    server.answers = [text(f"new {name}") for name in asked]

    assert with_settings(server, run_file, chat, **options) == 0

    found = turns(chat)
    assert [words(found[name]) for name in asked] == [f"new {name}" for name in asked]
    assert len(server.requests) == len(asked)
    assert "stale" not in json.dumps(server.requests)


def test_a_turn_that_failed_ends_the_run_and_is_asked_again_by_the_next(server, chat, capsys):
    server.answers = [error(401, "no"), text("2"), text("3")]

    assert with_settings(server, run_file, chat) == 1

    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith(f"msgbook run: {chat}/two: AuthenticationError: ")
    assert line.endswith(f"(1 more prompt not sent; to try again: `msgbook run {chat}`)")
    assert turns(chat)["two"]["status"] == "error"
    assert turns(chat)["three"] is None

    assert with_settings(server, run_file, chat) == 0
    assert [words(turns(chat)[name]) for name in ("two", "three")] == ["2", "3"]


def test_a_warning_names_the_cell_that_it_is_about(server, tmp_path, capsys):
    chat = tmp_path / "odd.msg.md"
    chat.write_text(
        "# %% [^one]\n\n%%msg history=sum\nHi\n\n# %% [^two]\n\n@[gone.txt]\n",
        "utf-8",
    )
    server.answers = [text("1"), text("2")]

    assert with_settings(server, run_file, chat) == 0

    first, hidden, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"msgbook run: {chat}/one: %%msg: expected history=")
    assert hidden.startswith(f"msgbook run: {chat}/two: ")
    assert "cell 1 (Hi) is not sent: " in hidden
    assert second.startswith(f"msgbook run: {chat}/two: @[gone.txt] is not sent: ")


def test_a_turn_that_failed_without_a_word_does_not_take_the_place_of_an_answer(server, chat):
    server.answers = [error(401, "no")]

    assert with_settings(server, run_file, chat, again=True) == 1
    assert chat.read_text("utf-8") == CHAT


def test_a_prompt_that_called_a_tool_itself_before_its_turn_failed_is_asked_again(server, tmp_path):
    (tmp_path / "a.txt").write_text("the text")
    path = tmp_path / "chat.msg.md"
    path.write_text('# %% [^a]\n\nSee @[read{"path": "a.txt"}]\n', "utf-8")
    server.answers = [error(401, "no"), text("Seen.")]

    assert with_settings(server, run_file, path) == 1
    assert [block["type"] for block in turns(path)["a"]["blocks"]] == [
        "tool_call", "tool_result", "error",
    ]  # fmt: skip

    assert with_settings(server, run_file, path) == 0
    assert words(turns(path)["a"]) == "Seen."
    assert [message["role"] for message in server.messages()] == ["system", "user"]


def test_what_a_failed_prompt_had_called_itself_is_no_answer_but_what_a_model_called_is():
    def asked(step):
        blocks = [
            {"type": "tool_call", "step": step, "id": "c", "name": "read", "arguments": "{}"},
            {"type": "tool_result", "step": step, "id": "c", "status": "success", "content": "A"},
            {"type": "error", "name": "APIError", "message": "no"},
        ]
        turn = {"version": 1, "status": "error", "blocks": blocks}
        output = nbformat.v4.new_output("display_data", {TURN_MIME: turn})
        cell = nbformat.v4.new_code_cell("@[read{}]", outputs=[output])
        return prompts_to_answer([cell], CHAT_CELLS, 0, again=False)

    assert (asked(0), asked(1)) == ([0], [])


@pytest.mark.parametrize(
    ("status", "blocks", "is_asked"),
    [
        ("interrupted", [], True),
        ("interrupted", [{"type": "notice", "text": "slow"}], True),
        ("interrupted", [{"type": "tool_call", "step": 0, "id": "c", "name": "read"}], True),
        ("interrupted", [{"type": "reasoning", "step": 1, "text": "Hm"}], False),
        ("interrupted", [{"type": "tool_call", "step": 1, "unfinished": True}], False),
        ("interrupted", [{"type": "of a newer version"}], False),
        ("running", [{"type": "reasoning", "step": 1, "text": "Hm"}], False),
        ("incomplete", [{"type": "reasoning", "step": 1, "text": "Hm"}], False),
        ("error", [{"type": "reasoning", "step": 1, "text": "Hm"}, {"type": "error"}], True),
    ],
)
def test_a_turn_that_was_stopped_is_left_if_it_holds_anything_of_the_model(
    status, blocks, is_asked
):
    turn = {"version": 1, "status": status, "blocks": blocks}
    outputs = [
        nbformat.v4.new_output("display_data", {TURN_MIME: turn}),
        nbformat.v4.new_output("error", ename="KeyboardInterrupt", evalue="", traceback=[]),
    ]
    cell = nbformat.v4.new_code_cell("Hi", outputs=outputs)

    assert prompts_to_answer([cell], CHAT_CELLS, 0, again=False) == ([0] if is_asked else [])


@pytest.mark.parametrize("prompt", ["Hi", "%continue"])
def test_reasoning_that_was_stopped_stays_as_it_is_and_is_named(server, tmp_path, capsys, prompt):
    path = tmp_path / "chat.msg.md"
    path.write_text(f"# %% [^a]\n\n{prompt}\n", "utf-8")
    document = Document.read(path)
    blocks = [{"type": "reasoning", "step": 1, "text": "Hm"}]
    document.put_turn(0, {"version": 1, "status": "interrupted", "blocks": blocks})
    document.save()
    before = path.read_bytes()

    assert with_settings(server, run_file, path) == 0

    assert (path.read_bytes(), server.requests) == (before, [])
    on = f"to continue: `msgbook chat {path} --resume`; " if prompt == "Hi" else ""
    told = f"msgbook run: a: the answer is incomplete ({on}to answer again: `msgbook run {path} --from a`)"
    assert capsys.readouterr().err.splitlines()[0] == told


def test_an_answer_that_stopped_at_a_limit_is_no_failure(server, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^a]\n\nHi\n", "utf-8")
    server.answers = [Answer([delta(content="It is"), finish("length")])]

    assert with_settings(server, run_file, path) == 0

    assert "a\tincomplete\t" in capsys.readouterr().out
    server.reset()
    server.answers = [text(" 42.")]
    path.write_text(path.read_text("utf-8") + "\n# %% [^b]\n\n%continue\n", "utf-8")
    with_settings(server, run_file, path)
    assert "no magic" not in capsys.readouterr().err


def test_a_run_that_has_cost_enough_sends_no_more(server, tmp_path, capsys):
    server.answers = [text("1"), text("2")]
    path, config = tmp_path / "chat.msg.md", tmp_path / "msgbook.toml"
    path.write_text("# %% [^a]\n\nHi\n\n# %% [^b]\n\nHo\n\n# %% [^c]\n\nHu\n", "utf-8")
    config.write_text("[providers.openai.prices]\nm = { input = 1000000, output = 0 }\n")

    def run(limit):
        return with_settings(server, run_file, path, purse=Purse(limit), MSGBOOK_CONFIG=str(config))

    assert run(1.0) == 1

    assert [name for name, turn in turns(path).items() if turn] == ["a"]
    assert len(server.requests) == 1
    assert (
        f"msgbook run: {path}/b: This run has cost its limit: --max-cost 1 is used up (11.0000). To go on, "
        "run it again, or with a higher --max-cost. (2 prompts not sent)\n"
    ) in capsys.readouterr().err
    assert run(100.0) == 0
    assert len(server.requests) == 3


@pytest.mark.parametrize("amount", ["0", "-1", "nan", "inf", "much", ""])
def test_what_a_run_may_cost_is_a_positive_number(tmp_path, capsys, amount):
    with pytest.raises(SystemExit):
        main(["run", str(tmp_path / "chat.msg.md"), f"--max-cost={amount}"])

    assert "expected a positive number" in capsys.readouterr().err


def test_answers_below_a_new_one_are_counted_if_they_were_not_made_anew(server, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"

    def told(text_of_file, *answers, **options):
        path.write_text(text_of_file, "utf-8")
        server.reset()
        server.answers = list(answers)
        capsys.readouterr()
        with_settings(server, run_file, path, **options)
        return [line for line in capsys.readouterr().err.splitlines() if "outdated" in line]

    def cell(name, *, is_answered, attributes=""):
        answer = f"# %%% [^{name}-1]\n\n[^{name}-1]: [assistant]\n\n1\n\n" if is_answered else ""
        return f"# %% [^{name}]\n\n[^{name}]: [markdown]{attributes}\n\nHi\n\n{answer}"

    new, old = cell("new", is_answered=False), cell("old", is_answered=True)
    older = cell("older", is_answered=True)

    def counted(answers, names, first, them):
        return (
            f"msgbook run: {answers} outdated now: {names}. `msgbook run {path} --from {first}` "
            f"answers {them} again."
        )

    assert told(new + old + older, text("2")) == [
        counted("2 answers below new are", "old, older", "old", "them")
    ]
    assert told(older + new + old, text("2")) == [
        counted("1 answer below new is", "old", "old", "it")
    ]
    assert told(old + new, text("2")) == []
    assert told(new + old, text("2"), text("3"), again=True) == []
    assert told(new + old, text("2"), error(401, "no"), again=True) == [
        counted("1 answer below new is", "old", "old", "it")
    ]
    assert told(new + old, error(401, "no")) == []
    excluded = cell("new", is_answered=False, attributes=" history=exclude")
    assert told(excluded + old, text("2")) == []


def test_a_cell_without_an_id_is_not_named_as_one_to_begin_at(server, tmp_path, capsys):
    cut = {"version": 1, "status": "interrupted", "blocks": [{"type": "reasoning", "step": 1}]}
    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "msgbook", "display_name": "Chat (msgbook)"}},
        cells=[
            nbformat.v4.new_code_cell("new"),
            nbformat.v4.new_code_cell(
                "old", outputs=[nbformat.v4.new_output("display_data", {TURN_MIME: cut})]
            ),
        ],
    )
    for cell in notebook.cells:
        del cell["id"]
    path = tmp_path / "chat.ipynb"
    path.write_text(json.dumps({**notebook, "nbformat_minor": 4}))
    server.answers = [text("2")]

    with_settings(server, run_file, path)

    advice = (
        f"to continue: `msgbook chat {path} --resume`; "
        f"to answer all prompts again: `msgbook run {path} --all`"
    )
    assert capsys.readouterr().err.splitlines() == [
        f"msgbook run: -: the answer is incomplete ({advice})",
        "msgbook run: 1 answer below - is outdated now: -",
    ]


def test_a_model_above_counts_and_continue_is_a_prompt(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^a]\n\n[^a]: [code]\n\n```ipython\n%model big\n```\n\n# %% [^b]\n\nHi\n")
    server.answers = [Answer([delta(content="Hel"), finish("length")]), text("lo")]
    assert with_settings(server, run_file, path) == 0
    path.write_text(path.read_text("utf-8") + "\n# %% [^c]\n\n%continue\n", "utf-8")

    assert with_settings(server, run_file, path) == 0

    assert [request["model"] for request in server.requests] == ["big", "big"]
    assert words(turns(path)["c"]) == "lo"


def test_a_file_that_was_changed_meanwhile_is_left_alone_and_the_turn_stands_beside(server, chat):
    def chunks():
        yield delta(content="2")
        chat.write_text("mine", "utf-8")
        yield finish()

    server.answers = [Answer(chunks())]
    beside = chat.with_name("chat.unsaved.msg.md")

    with pytest.raises(
        CommandError, match=r"has changed since it was read.*chat\.unsaved\.msg\.md"
    ):
        with_settings(server, run_file, chat)

    assert chat.read_text("utf-8") == "mine"
    assert words(turns(beside)["two"]) == "2"


def test_of_a_notebook_nothing_changes_but_the_outputs_and_that_it_knows_its_agent(
    server, tmp_path
):
    path = tmp_path / "chat.ipynb"
    cells = [nbformat.v4.new_code_cell("Hi", id="a"), nbformat.v4.new_raw_cell("raw", id="b")]
    kernelspec = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernelspec, "x": 1})
    nbformat.write(notebook, path)
    before = json.loads(path.read_text("utf-8"))
    server.answers = [text("Hello")]

    assert with_settings(server, run_file, path) == 0

    after = json.loads(path.read_text("utf-8"))
    nbformat.validate(nbformat.from_dict(after))
    assert after["cells"][0].pop("outputs")[0]["data"]["text/markdown"] == ["Hello"]
    before["cells"][0].pop("outputs")
    assert after["metadata"].pop("msgbook")["agent_metadata"]["file"] == "chat.ipynb"
    assert after == before


def test_what_stands_above_a_message_section_stays(server, tmp_path):
    path = tmp_path / "README.md"
    above = "---\nmessage_section: true\n---\n# Title\n\n# %% quoted\n\n## Discussion\n\n"
    path.write_text(f"{above}# %% [^a]\n\nHi\n", "utf-8")
    server.answers = [text("Hello")]

    assert with_settings(server, run_file, path) == 0
    assert path.read_text("utf-8").startswith(f"{above}# %% [^a]\n\nHi\n\n# %%% [^a-1]")


@pytest.mark.parametrize(
    ("option", "policy", "written", "told"),
    [
        ("allow", "ask", False, "nobody could be asked"),
        ("allow", "allow", True, ""),
        ("deny", "allow", False, "asks nobody"),
        ("ask", "deny", False, "asks nobody"),
    ],
)
def test_the_option_only_narrows_what_tools_may_do(server, chat, option, policy, written, told):
    arguments = {"path": "new.txt", "content": "x"}
    server.answers = [call("write", arguments), text("2"), text("3")]

    code = with_settings(server, run_file, chat, approval=option, MSGBOOK_APPROVAL=policy)

    assert code == 0
    assert (chat.parent / "new.txt").exists() == written
    result = next(b for b in turns(chat)["two"]["blocks"] if b["type"] == "tool_result")
    assert told in result["content"]


def test_a_run_from_no_cell_names_those_that_may_be_meant_one_a_line(tmp_path, capsys):
    path = tmp_path / "a.msg.md"
    path.write_text("# %% [^ask-one]\n\n1\n\n# %% [^ask-two]\n\n2\n")

    assert main(["run", str(path), "--from", "ask-"]) == 2

    words, *named = capsys.readouterr().err.splitlines()
    assert "'ask-' fits 2 cells in" in words
    assert named == ["  ask-one (1)", "  ask-two (2)"]


@pytest.mark.parametrize(
    ("name", "content", "options", "told"),
    [
        ("none.msg.md", None, [], "No such file or directory"),
        ("a.md", "# %% a\n", [], "message_section"),
        ("a.ipynb", "{", [], "found an error in line 1, column 2"),
        ("a.ipynb", '{"nbformat": 4, "metadata": {}, "cells": [{}]}', [], "expected a notebook"),
        ("a.ipynb", '{"nbformat": 4, "metadata": {}, "cells": []}', [], "it has no kernel"),
        ("a.msg.md", "---\njupyter: {kernelspec: {name: ir}}\n---\n", [], "the kernel 'ir'"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(tmp_path, capsys, name, content, options, told):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)

    assert main(["run", str(path), *options]) == 2

    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert told in printed.err


def test_an_agent_has_the_name_of_a_model_with_any_signs(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    name = "qwen/qwen3:8b-v1.5"
    path.write_text(
        f"# %% [^new]\n\n[^new]: [code]\n\n```ipython\n%agent new {name}\n```\n\n"
        f"# %% [^one]\n\n%%msg agent={name}\nHi\n\n"
        f'# %% [^two]\n\n[^two]: [markdown] agent="{name}"\n\nAgain\n'
    )
    server.answers = [text("Hello.")]

    assert with_settings(server, run_file, path) == 0

    assert [request["model"] for request in server.requests] == [name, name]
    assert [said(m) for m in server.messages()[1:3]] == [("user", "Hi"), ("assistant", "Hello.")]
    written = path.read_text("utf-8")
    assert written.count(f"\n[^one-1]: [{name}] ") == 1
    assert writes(read(path)) == written
    assert main(["check", str(path)]) == 0


def test_an_error_about_a_model_names_the_line_that_sets_it(server, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    path.write_text("---\nagents:\n  a: {models: x}\n---\n\n# %% [^one]\n\nHi\n")
    server.answers = [error(404, "The model `x` does not exist.")]

    assert with_settings(server, run_file, path) == 1

    told = "('x', set by the agent a in the frontmatter of chat.msg.md, line 3; "
    assert told in capsys.readouterr().err
    assert told in path.read_text()


def test_a_file_without_prompts_is_not_said_to_be_answered(tmp_path, capsys):
    path = tmp_path / "empty.msg.md"
    path.write_text("")

    assert main(["run", str(path)]) == 0

    assert capsys.readouterr().err == f"msgbook run: {path}: the file has no prompt\n"
