"""A conversation through a real kernel, as `jupyter execute` holds it."""

from __future__ import annotations

from typing import Any

import pytest
from apis import over_all_apis
from kernel_client import KernelClient
from scripted_server import Answer, ScriptedServer, call, delta, error, text

from msgbook_format import reads, writes
from msgbook_format.turn import TURN_MIME


def settings(server: ScriptedServer, **more: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", **more}


def turn_in(cell: Any) -> dict[str, Any]:
    turn: dict[str, Any] = cell.outputs[0]["data"][TURN_MIME]
    return turn


def error_in(cell: Any) -> Any:
    errors = [output for output in cell.outputs if output.output_type == "error"]

    assert len(errors) == 1

    return errors[0]


@pytest.mark.smoke
@over_all_apis
def test_a_turn_is_one_display_with_reasoning_call_result_and_answer(server, run_notebook):
    server.answers = [call("read", {"path": "."}), text("It is **empty**.", reasoning="I look.")]

    (cell,) = run_notebook("What is here?", env=settings(server))

    turn = turn_in(cell)
    assert len(cell.outputs) == 1
    assert turn["status"] == "done"
    assert turn["model"] == "m"
    notice, *blocks = turn["blocks"]
    assert "does not say where the notebook is" in notice["text"]
    assert [block["type"] for block in blocks] == [
        "tool_call",
        "tool_result",
        "reasoning",
        "text",
    ]
    assert blocks[1]["status"] == "success"
    assert blocks[3]["text"] == "It is **empty**."
    told = {"input_tokens": 11, "output_tokens": 7, "untold_steps": 1}
    assert turn["usage"].items() >= told.items()
    assert {"text/markdown", "text/plain"} < cell.outputs[0]["data"].keys()
    assert "text/html" not in cell.outputs[0]["data"]


def test_the_second_request_carries_the_first_turn(server, run_notebook):
    server.answers = [call("read", {"path": "."}), text("First."), text("Second.")]

    run_notebook("one", "two", env=settings(server))

    first, second = server.messages(0), server.messages(2)
    assert second[: len(first)] == first
    assert [m["role"] for m in second] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert second[-2]["content"] == "First."
    assert second[-1]["content"] == "two"


def test_a_wrong_key_is_one_error_that_names_the_setting_and_hides_the_key(server, run_notebook):
    server.answers = [error(401, "Incorrect API key provided: sk-of-a-test"), text("fine now")]

    first, second = run_notebook("one", "two", env=settings(server, OPENAI_API_KEY="sk-of-a-test"))

    said = error_in(first)
    assert "OPENAI_API_KEY" in said.evalue
    assert "sk-of-a-test" not in str(first)
    assert turn_in(first)["status"] == "error"
    assert turn_in(second)["status"] == "done"


def test_a_refused_connection_names_the_url_setting(run_notebook):
    nobody = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "MSGBOOK_MODEL": "m"}

    first, second = run_notebook("one", "%%python\n1 + 1", env=nobody)

    assert "OPENAI_BASE_URL" in error_in(first).evalue
    assert second.outputs[0]["data"]["text/plain"] == "2"


def test_magics_steer_the_conversation_and_are_no_part_of_it(server, run_notebook):
    server.answers = [text("ok")]
    server.models = ["m", "other"]

    cells = run_notebook(
        "%help", "%models", "%model", "%model other", "%model", "hi", env=settings(server)
    )

    printed = ["".join(o.text for o in cell.outputs) for cell in cells[:5]]
    assert "Shift+Enter" in printed[0]
    assert printed[1] == "m\nother\n"
    assert printed[2] == "m\n"
    assert printed[4] == "other\n"
    assert server.requests[-1]["model"] == "other"
    assert [m["role"] for m in server.messages()] == ["system", "user"]


def test_code_without_a_magic_is_an_error_and_never_a_message(server, run_notebook):
    server.answers = [text("ok"), text("yes")]

    sql, message, _ = run_notebook(
        "%%sql\nselect secret from users", "\\%%sql\nis what?", "go on", env=settings(server)
    )

    assert error_in(sql).ename == "UnknownMagicError"
    assert "There is no magic %%sql" in error_in(sql).evalue
    assert turn_in(message)["status"] == "done"
    assert len(server.requests) == 2
    code, prompt = server.messages(0)[1:]
    assert code["content"].startswith("I ran this code:\n\n```ipython\n%%sql\nselect secret")
    assert prompt["content"] == "%%sql\nis what?"


def test_a_cell_magic_in_one_line_that_is_not_registered_is_an_error(server, run_notebook):
    named, alone = run_notebook("%%sql select 1", "%%sql", env=settings(server))

    for cell in (named, alone):
        assert error_in(cell).ename == "UnknownMagicError"
        assert error_in(cell).evalue.endswith(r"write a backslash in front of it: \%%sql")
    assert server.requests == []


def test_a_message_may_begin_with_an_image_and_a_command_with_a_bracket(server, run_notebook):
    server.answers = [text("ok")]

    command, image = run_notebook(
        "![ 1 = 1 ] && echo yes",
        "![A page](https://e.example/page.png)\nWhat is it?",
        env=settings(server),
    )

    assert "yes" in command.outputs[0].text
    assert turn_in(image)["status"] == "done"
    assert "What is it?" in str(server.messages()[-1])


def test_the_times_that_nbclient_writes_stand_on_the_first_output(server, run_notebook):
    (cell,) = run_notebook("%%python\nprint(1)", env=settings(server))

    times = cell.metadata.execution
    saved = writes(reads("") | {"cells": [cell]})
    assert len(times) > 2
    assert f'[python] time="{times["iopub.execute_input"]}" status="success" duration=0.' in saved


def test_outputs_of_this_session_obey_their_marks(server, run_notebook):
    server.answers = [text("ok")]
    shown = "from IPython.display import display\nhide = {'msgbook': {'history': 'none'}}\n"

    run_notebook(
        f"%%python\n{shown}display('sword' + 'fish', metadata=hide)\nprint('see' + 'n')",
        "hi",
        env=settings(server),
    )

    request = str(server.messages(0))
    assert "swordfish" not in request
    assert "Output:" in request
    assert "seen" in request


def test_python_and_shell_cells_run_in_the_kernel_and_prompts_may_begin_oddly(server, run_notebook):
    server.answers = [text("ok")]

    cells = run_notebook(
        "%%python\nx = 20 + 1\nx * 2",
        "!echo shell",
        "%50 of users?",
        "\\!not shell",
        "?",
        env=settings(server),
    )

    assert cells[0].outputs[0]["data"]["text/plain"] == "42"
    assert cells[1].outputs[0].text.strip() == "shell"
    sent = [messages[-1]["content"] for messages in (server.messages(n) for n in range(3))]
    assert sent == ["%50 of users?", "!not shell", "?"]


def test_whatever_a_server_answers_there_is_a_reply_and_the_next_cell_works(server, run_notebook):
    server.answers, server.models_body = [text("ok")], "<html>"

    cells = run_notebook("%models", "%model a b", "%help me", "hi", env=settings(server))

    assert "OPENAI_BASE_URL" in error_in(cells[0]).evalue
    assert error_in(cells[1]).ename == "UsageError"
    assert error_in(cells[2]).ename == "UsageError"
    assert turn_in(cells[3])["status"] == "done"


def test_without_a_server_choosing_a_model_says_who_answers(no_settings, run_notebook):
    (cell,) = run_notebook("%model gpt-5")

    assert cell.outputs[0].text.startswith("No server is set: demo answers, not gpt-5. To set one,")


def test_settings_that_cannot_be_read_are_an_error_of_each_turn_but_help_helps(run_notebook):
    broken = {"OPENAI_BASE_URL": "no url", "OPENAI_API_KEY": "sk-of-this-test"}

    cells = run_notebook("hi", "%help", "!env", env=broken)

    assert "OPENAI_BASE_URL" in error_in(cells[0]).evalue
    assert turn_in(cells[0])["status"] == "error"
    assert "Shift+Enter" in cells[1].outputs[0].text
    assert "sk-of-this-test" not in str(cells)


def test_no_module_of_the_folder_is_imported_until_python_of_the_user_runs(server, tmp_path):
    trace = tmp_path / "imported"
    folder = tmp_path / "hostile"
    for name in ("json", "ipykernel", "openai", "psutil", "brotli", "msgbook/kernel/__main__"):
        module = folder / f"{name}.py"
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(f"open({str(trace)!r}, 'a').write(__name__)\n")
    (folder / "mine.py").write_text("word = 'imported from here'\n")
    server.answers = [call("shell", {"command": "env"}), text("ok")]

    with KernelClient(settings(server, MSGBOOK_APPROVAL="allow"), str(folder)) as kernel:
        kernel.run("hi")

        assert not trace.exists()
        assert "PYTHONSAFEPATH" not in str(server.requests[1])

        _, messages = kernel.run("%%python\nimport mine\nmine.word")

        assert "imported from here" in str(messages)


def test_the_settings_file_is_neither_read_nor_changed_without_approval(server, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("[[approval.rules]]\ntool = 'write'\n")
    (tmp_path / "link").symlink_to(file)
    server.answers = [
        call("read", {"path": "settings.toml"}),
        call("write", {"path": "link", "content": "[[approval.rules]]\ntool = 'shell'\n"}),
        text("ok"),
    ]

    with KernelClient(settings(server, MSGBOOK_CONFIG=file.name), str(tmp_path)) as kernel:
        kernel.run("hi")

    results = [m["content"] for m in server.messages() if m["role"] == "tool"]
    assert len(results) == 2
    assert all("Denied" in result for result in results)
    assert "shell" not in file.read_text()


def test_other_processes_of_the_user_cannot_read_the_kernels_environment(server, run_notebook):
    pr_get_dumpable = 3
    source = f"%%python\nimport ctypes\nctypes.CDLL(None).prctl({pr_get_dumpable}, 0, 0, 0, 0)"

    (cell,) = run_notebook(source, env=settings(server))

    assert cell.outputs[0]["data"]["text/plain"] == "0"


def test_no_cell_finds_the_key_in_the_environment(server, run_notebook):
    server.answers = [text("ok")]

    cells = run_notebook(
        "!env",
        "%%python\nimport os\ndict(os.environ)",
        "hi",
        env=settings(server, OPENAI_API_KEY="sk-of-this-test"),
    )

    assert "sk-of-this-test" not in str(cells)
    assert server.url in str(cells)
    assert server.headers[0]["Authorization"] == "Bearer sk-of-this-test"


def test_a_continue_cell_goes_on_from_what_had_arrived(server, run_notebook):
    server.answers = [Answer([delta(content="Half of")], done=False), text("it, all of it.")]

    first, second = run_notebook("Tell me", "%continue", env=settings(server))

    assert (turn_in(first)["status"], turn_in(second)["status"]) == ("incomplete", "done")
    assert error_in(first).ename == "IncompleteAnswer"
    assert [(m["role"], m["content"][:17]) for m in server.messages()[1:]] == [
        ("user", "Tell me"),
        ("assistant", "Half of"),
        ("user", "Your answer broke"),
    ]
