"""`msgbook run` of a conversation whose agent starts sub-agents."""

from __future__ import annotations

from command import with_settings
from team import SAID, child_files, dispatch, dispatch_result, metadata_in, play, report, turns_in

from msgbook.cli.run import run_file


def test_a_run_starts_the_sub_agents_and_the_parent_reads_their_reports(server, tmp_path):
    chat = tmp_path / "chat.msg.md"
    chat.write_text("# %% [^q]\n\nask two\n", "utf-8")
    server.choose = play(
        [dispatch("count the apples", "count the pears", broadcast="Fruit."), SAID],
        {"apples": report("3 apples"), "pears": report("5 pears")},
    )

    assert with_settings(server, run_file, chat, MSGBOOK_APPROVAL="allow") == 0

    [turn] = turns_in(chat)
    result = dispatch_result(turn)
    assert [row["status"] for row in result["agents"]] == ["done", "done"]
    assert "### Sub-agent 'count the apples...' Finished:\n3 apples" in result["content"]
    assert turn["status"] == "done"
    files = child_files(tmp_path)
    assert {str(file.relative_to(tmp_path)) for file in files} == {
        row["file"] for row in result["agents"]
    }
    for file in files:
        [child] = turns_in(file)
        assert (child["status"], metadata_in(file)["is_task_finished"]) == ("done", True)
    sent = server.requests[-1]["messages"]
    assert "5 pears" in sent[-1]["content"]
    assert "uuid" not in str(sent)
