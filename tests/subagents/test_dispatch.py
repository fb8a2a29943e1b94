"""Sub-agents run side by side to their ends, and every end is a result for their parent."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from apis import over_all_apis
from responses_as_chat import chat_messages
from scripted_server import Answer, call, delta, error, finish, text
from team import SAID, dispatch, dispatch_result, metadata_in, play, report, said, turns_in

pytestmark = over_all_apis

HOLD = Answer([delta(content="Working on it. ")], hold=1)


def test_the_file_of_a_sub_agent_is_there_before_its_first_request(team):
    seen = []

    def choose(request):
        seen.append([file.read_text("utf-8") for file in team.files])
        return choices(request)

    choices = play([dispatch("count the apples"), SAID], {"apples": report("3")})
    team.server.choose = choose
    team.run()

    assert [len(texts) for texts in seen] == [0, 1, 1]
    assert "count the apples" in seen[1][0]


def test_with_one_request_at_once_a_parent_and_its_sub_agents_do_not_wait_for_each_other_for_ever(
    team,
):
    open_now: set[str] = set()

    def one_by_one(request):
        name, answer = json.dumps(request), choices(request)

        def chunks():
            open_now.add(name)
            assert len(open_now) == 1
            yield from answer.chunks
            open_now.discard(name)

        return replace(answer, chunks=chunks())

    team.config = "[providers.openai]\nmax_parallel = 1\n"
    choices = play(
        [dispatch("count apples", "count pears", "count plums"), SAID],
        {
            fruit: [call("glob", {"pattern": "*"}), report(fruit)]
            for fruit in ("apples", "pears", "plums")
        },
    )
    team.server.choose = one_by_one
    result = team.result()

    assert [row["status"] for row in result["agents"]] == ["done"] * 3


def test_a_sub_agent_that_does_not_report_is_quoted_with_its_state(team):
    team.server.choose = play(
        [dispatch("task one", "task two", "task three"), SAID],
        {
            "one": text("I think it is 3."),
            "two": Answer([delta(content="It is"), finish("length")]),
            "three": error(400, "no such thing"),
        },
    )
    result = team.result()

    assert [row["status"] for row in result["agents"]] == ["done", "incomplete", "error"]
    one, two, three = result["content"].split("\n\n----------------\n\n")
    assert one.startswith("### Sub-agent 'task one' (no report), done:\nI think it is 3.\nFile: ")
    assert two.startswith("### Sub-agent 'task two' (no report), incomplete (length):\nIt is\n")
    assert "### Sub-agent 'task three' (no report), error (" in three
    assert "no such thing" in three


def test_a_sub_agent_that_repeats_itself_ends_and_its_parent_goes_on(team):
    team.server.choose = play(
        [dispatch("count the apples"), SAID], {"apples": call("glob", {"pattern": "apples*"})}
    )

    result = team.result()

    assert [(row["status"], row["steps"]) for row in result["agents"]] == [("incomplete", 3)]
    assert "incomplete (repeated_failure)" in result["content"]


def test_a_sub_agent_whose_file_is_deleted_ends_and_the_parent_goes_on(team):
    async def delete(_turn):
        await asyncio.to_thread(team.server.streaming.wait, 30)
        for file in team.files:
            if "apples" in file.read_text("utf-8"):
                file.unlink()

    team.server.choose = play(
        [dispatch("count the apples", "count the pears"), SAID],
        {"apples": HOLD, "pears": report("5")},
    )
    turn = team.run(meanwhile=delete)

    result = dispatch_result(turn)
    assert turn["status"] == "done"
    assert [row["status"] for row in result["agents"]] == ["deleted", "done"]
    uuid = result["agents"][0]["uuid"]
    assert f"### Sub-agent {uuid[:6]} was deleted (Cancelled)." in result["content"]
    assert len(team.files) == 1


def test_sub_agents_that_say_nothing_at_all_are_told_in_one_line(team):
    team.server.choose = play([dispatch("count"), SAID], {"count": Answer([finish()])})

    content = team.result()["content"]
    assert content.startswith("All sub-agents were deleted or produced no output.")


def test_what_a_person_adds_to_the_file_meanwhile_is_kept(team):
    def choose(request):
        for file in team.files:
            if "A note." not in file.read_text("utf-8"):
                with file.open("a") as stream:
                    stream.write("\n# %% [^note]\n\n[^note]: [markdown] cell=markdown\n\nA note.\n")
        return choices(request)

    choices = play(
        [dispatch("count"), SAID], {"count": [call("glob", {"pattern": "*"}), report("3")]}
    )
    team.server.choose = choose
    result = team.result()

    [file] = team.files
    assert "A note." in file.read_text("utf-8")
    assert turns_in(file)[0]["status"] == "done"
    assert "could not be written" not in result["content"]


def test_the_agents_that_may_be_started_are_listed_with_their_descriptions(team):
    team.frontmatter = (
        "agents:\n"
        "  lead: {allowed_child_types: [worker, helper]}\n"
        "  worker: {description: Does the work.}\n"
        "  helper: {}\n"
        "  other: {}\n"
    )
    team.server.choose = play([call("get_agent_types", {}), SAID])
    turn = team.run()

    [result] = [block for block in turn["blocks"] if block["type"] == "tool_result"]
    assert sorted(result["content"].splitlines()) == ["- helper", "- worker: Does the work."]


def test_the_file_of_a_sub_agent_has_its_first_step_while_the_second_runs(team):
    async def interrupt_once_saved(turn):
        async with asyncio.timeout(30):
            while "success" not in [  # noqa: ASYNC110 - a file has no event
                block.get("status")
                for file in team.files
                for subagent in turns_in(file)
                for block in subagent["blocks"]
            ]:
                await asyncio.sleep(0.01)
        turn.cancel()

    team.server.choose = play(
        [dispatch("count"), SAID], {"count": [call("glob", {"pattern": "*"}), HOLD]}
    )
    assert team.run(meanwhile=interrupt_once_saved)["status"] == "interrupted"


def test_rows_show_steps_the_last_line_tokens_and_seconds(team):
    team.server.choose = play(
        [dispatch("count"), SAID],
        {"count": [call("glob", {"pattern": "*"}), text("First.\nThe last line.")]},
    )
    [row] = team.result()["agents"]

    assert (row["name"], row["agent"], row["status"]) == ("count", "assistant", "done")
    assert (row["steps"], row["last"]) == (2, "The last line.")
    assert row["usage"]["input_tokens"] == 11
    assert row["duration"] >= 0
    assert (team.folder / row["file"]).is_file()


def test_a_row_says_that_its_last_line_is_cut_also_at_a_blank(team):
    words = "1234567890 " * 40
    team.server.choose = play([dispatch("count"), SAID], {"count": [text(words)]})
    [row] = team.result()["agents"]

    assert len(row["last"]) <= 120
    assert row["last"].endswith("1234567890…")


def test_the_metadata_of_a_sub_agent_name_its_parent(team):
    team.server.choose = play([dispatch("count"), SAID], {"count": report("3")})
    team.run()

    [file] = team.files
    metadata = metadata_in(file)
    assert metadata["parent"] == {
        "call": "dispatch",
        "file": "chat.msg.md",
        "agents": ["assistant"],
    }
    assert metadata["parent_agent_id"] not in (None, metadata["uuid"])
    assert (metadata["name"], metadata["allowed_uris"]) == ("count", ["."])


def test_so_many_run_at_once_and_more_wait(team):
    team.config = "[limits]\nsubagents_at_once = 2\n"
    names = ("one", "two", "three", "four")
    running, most = set(), []

    def choose(request):
        first = next(said(m) for m in chat_messages(request) if m["role"] == "user")
        if first != "ask them":
            # The first request of a sub-agent begins its turn, the second one ends it.
            running.symmetric_difference_update({first})
            most.append(len(running))
        return choices(request)

    choices = play(
        [dispatch(*(f"task {name}" for name in names)), SAID],
        {name: [call("glob", {"pattern": "*"}), report(name)] for name in names},
    )
    team.server.choose = choose
    result = team.result()

    assert [row["status"] for row in result["agents"]] == ["done"] * 4
    assert max(most) == 2


def test_two_calls_in_one_step_run_one_after_the_other_with_their_own_results(team):
    def tool_call(index, prompt):
        arguments = {"context_broadcast": "", "sub_agents": [{"prompt": prompt}]}
        function = {"name": "dispatch_subagents", "arguments": json.dumps(arguments)}
        return {"index": index, "id": f"c{index}", "type": "function", "function": function}

    both = Answer(
        [
            delta(tool_calls=[tool_call(0, "count apples"), tool_call(1, "count pears")]),
            finish("tool_calls"),
        ]
    )
    team.server.choose = play([both, SAID], {"apples": report("3"), "pears": report("5")})
    turn = team.run()

    results = [block for block in turn["blocks"] if block["type"] == "tool_result"]
    assert [result["id"] for result in results] == ["c0", "c1"]
    assert [result["agents"][0]["name"] for result in results] == [
        "count apples",
        "count pears",
    ]


def test_an_interrupt_stops_all_of_them(team):
    async def interrupt(turn):
        await asyncio.to_thread(team.server.streaming.wait, 30)
        turn.cancel()
        await turn
        await team.engine.services.writes.finish()
        left.update(asyncio.all_tasks() - {asyncio.current_task()})

    left = set()
    team.server.choose = play([dispatch("task one", "task two")], {"task": HOLD})
    turn = team.run(meanwhile=interrupt)

    assert turn["status"] == "interrupted"
    assert {row["status"] for row in dispatch_result(turn)["agents"]} == {"interrupted"}
    statuses = {subagent["status"] for file in team.files for subagent in turns_in(file)}
    assert statuses == {"interrupted"}
    assert not left


@pytest.mark.parametrize("size", [100, 100_000])
def test_long_reports_are_cut_each_on_its_own(team, size):
    team.server.choose = play(
        [dispatch("task one", "task two"), SAID],
        {"one": report("a" * size), "two": report("b" * size)},
    )
    content = team.result()["content"]

    assert len(content) <= 20_000
    assert content.count("File: ") == 2
    assert ("a" * size in content) == (size == 100)


def test_an_interrupt_before_they_start_leaves_no_file(team):
    async def interrupt(turn):
        while not team.files:  # noqa: ASYNC110 - a file is waited for
            await asyncio.sleep(0)
        turn.cancel()

    team.server.choose = play([dispatch(*[f"task {n}" for n in range(8)])])
    turn = team.run(meanwhile=interrupt)

    assert turn["status"] == "interrupted"
    assert not team.files


@pytest.mark.parametrize("stem", ["\u65e5" * 82, "\U0001f600" * 62, "a\udcffb", "..", "a\nb"])
def test_any_name_of_the_parent_gives_its_sub_agents_one(team, stem):
    team.name = f"{stem}.msg.md"
    team.server.choose = play([dispatch("count"), SAID], {"count": report("3")})
    [row] = team.result()["agents"]

    assert row["status"] == "done"
    assert [team.folder / row["file"]] == team.files
    assert turns_in(team.files[0])[0]["status"] == "done"
