"""msgbook's own line magics, as one family."""

from __future__ import annotations

from scripted_server import text

from msgbook.notebook.magics_table import OWN_MAGICS


def test_each_magic_runs_in_a_kernel_and_none_is_part_of_the_conversation(server, run_notebook):
    server.answers = [text("Yes.")]
    env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    alone = sorted(OWN_MAGICS.keys() - {"%tool"})
    steering = ["%agent new fast models=small", "%agent default fast", "%macros -d A", "%compact 1"]

    cells = run_notebook("first", *alone, "%context full", *steering, "second", env=env)

    printed = {cell.source: cell.outputs[0] for cell in cells if cell.source.startswith("%")}
    assert {source: out.get("ename") for source, out in printed.items() if "text" not in out} == {}
    request = server.requests[-1]
    assert request["model"] == "small"
    assert [message["content"] for message in request["messages"][1:]] == [
        "first",
        "[assistant] Yes.",
        "second",
    ]
