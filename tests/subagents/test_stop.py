"""One sub-agent can be stopped alone, and its parent is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from scripted_server import Answer, delta
from team import SAID, dispatch, dispatch_result, metadata_in, play, report, turns_in

HOLD = Answer([delta(content="Working on it. ")], hold=1)


def uuid_of(team: Any, task: str) -> str:
    """The id of the sub-agent with a task."""
    [file] = [file for file in team.files if task in file.read_text("utf-8")]
    return str(metadata_in(file)["uuid"])


def once_it_answers(team: Any, act: Callable[[], object]) -> Callable[[Any], Awaitable[None]]:
    """Return what happens while a turn runs: `act`, once a sub-agent is in its answer."""

    async def meanwhile(_turn: object) -> None:
        await asyncio.to_thread(team.server.streaming.wait, 30)
        act()

    return meanwhile


def test_only_the_one_that_is_stopped_ends_and_the_parent_is_told_so(team):
    def stop():
        assert team.engine.services.subagents.stop("c", uuid_of(team, "apples"))

    team.server.choose = play(
        [dispatch("count the apples", "count the pears"), SAID],
        {"apples": HOLD, "pears": report("5")},
    )
    turn = team.run(meanwhile=once_it_answers(team, stop))

    result = dispatch_result(turn)
    assert turn["status"] == "done"
    assert [row["status"] for row in result["agents"]] == ["interrupted", "done"]
    assert "### Sub-agent 'count the apples' (no report), stopped by the user:" in result["content"]
    assert "### Sub-agent 'count the pears' Finished:" in result["content"]
    [stopped] = [turn for file in team.files for turn in turns_in(file) if turn["status"] != "done"]
    assert stopped["status"] == "interrupted"
    assert team.engine.services.subagents.by_cell() == []


def test_what_is_not_running_for_the_cell_is_not_stopped(team):
    def stop():
        uuid, running = uuid_of(team, "apples"), team.engine.services.subagents
        assert running.by_cell() == [(uuid, "c")]
        assert not running.stop("another cell", uuid)
        assert not running.stop("c", "another id")
        assert running.stop("c", uuid)

    team.server.choose = play([dispatch("count the apples"), SAID], {"apples": HOLD})
    turn = team.run(meanwhile=once_it_answers(team, stop))

    assert turn["status"] == "done"


def test_a_sub_agent_takes_those_that_it_started_with_it(team):
    def stop():
        running = team.engine.services.subagents
        [outer] = [uuid for uuid, _ in running.by_cell() if uuid == uuid_of(team, "the outer task")]
        assert [cell_id for _, cell_id in running.by_cell()] == ["c", "c"]
        assert running.stop("c", outer)

    team.config = "[limits]\nsubagent_depth = 2\n"
    team.frontmatter = "agents: {lead: {}, worker: {}, helper: {}}\n"
    team.server.choose = play(
        [dispatch({"prompt": "the outer task", "agent_type": "worker"}), SAID],
        {"outer": dispatch({"prompt": "the inner task", "agent_type": "helper"}), "inner": HOLD},
    )
    team.run(meanwhile=once_it_answers(team, stop))

    assert {turn["status"] for file in team.files for turn in turns_in(file)} == {"interrupted"}
    assert team.engine.services.subagents.by_cell() == []


def test_one_that_waits_for_its_turn_can_be_stopped(team):
    def stop():
        assert team.engine.services.subagents.stop("c", uuid_of(team, "count the pears"))
        assert team.engine.services.subagents.stop("c", uuid_of(team, "count the apples"))

    team.config = "[limits]\nsubagents_at_once = 1\n"
    team.server.choose = play(
        [dispatch("count the apples", "count the pears"), SAID], {"count": HOLD}
    )
    turn = team.run(meanwhile=once_it_answers(team, stop))

    assert [row["status"] for row in dispatch_result(turn)["agents"]] == ["interrupted"] * 2
    assert len(team.server.requests) == 3
