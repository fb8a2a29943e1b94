"""Agents are shown as a tree, whatever their files say of their parents."""

from __future__ import annotations

from pathlib import Path

from msgbook_format.agent_states import AgentState, as_tree

KEYS = {
    "uuid", "parentId", "name", "fileUri", "isWindowOpen", "isRunning", "isTaskFinished", "prompt",
}  # fmt: skip
"""Keys of AgentStateInfo in seed 001."""


def state(file, uuid="", parent=None, **keys):
    return AgentState(Path("/p") / file, file, uuid=uuid, parent_id=parent, **keys)


def shown(states):
    return [(row.depth, row.state.file) for row in as_tree(states)]


def test_sub_agents_stand_below_their_parents_in_the_order_of_their_files():
    states = [
        state("z", "z"),
        state("sub/2", "2", "a"),
        state("sub/1", "1", "a"),
        state("a", "a"),
        state("sub/3", "3", "1"),
    ]
    assert shown(states) == [(0, "a"), (1, "sub/1"), (2, "sub/3"), (1, "sub/2"), (0, "z")]


def test_the_oldest_sub_agent_stands_first():
    new = state("sub/1", "1", "a", created_at="2026-01-15T10:30:00.001Z")
    old = state("sub/2", "2", "a", created_at="2026-01-15T10:30:00.000Z")
    assert shown([new, old, state("a", "a")]) == [(0, "a"), (1, "sub/2"), (1, "sub/1")]


def test_a_sub_agent_whose_parent_is_gone_stands_by_itself():
    assert shown([state("a", "a", "gone")]) == [(0, "a")]


def test_a_circle_of_parents_has_a_row_for_each_and_says_so():
    rows = as_tree([state("a", "a", "b"), state("b", "b", "a"), state("own", "own", "own")])
    assert [(row.depth, row.state.file) for row in rows] == [(0, "a"), (1, "b"), (0, "own")]
    assert [row.problem is not None for row in rows] == [True, False, True]


def test_of_two_files_with_one_id_both_are_shown_and_the_sub_agent_is_with_the_one_it_names():
    subagent = state("sub/1", "1", "a", parent_file="b")
    rows = as_tree([state("a", "a"), state("b", "a"), subagent])
    assert [(row.depth, row.state.file) for row in rows] == [(0, "a"), (0, "b"), (1, "sub/1")]
    assert rows[1].problem == "its id is also that of a"
    unnamed = as_tree([state("a", "a"), state("b", "a"), state("sub/1", "1", "a")])
    assert [row.depth for row in unnamed] == [0, 1, 0]


def test_a_parent_without_an_id_is_found_by_its_file():
    subagent = state("sub/1", "1", "never saved", parent_file="README.md")
    assert shown([state("README.md"), subagent]) == [(0, "README.md"), (1, "sub/1")]


def test_a_long_line_of_parents_is_no_error():
    states = [state(f"{n:05}", str(n), str(n - 1)) for n in range(5000)]
    assert as_tree(states)[-1].depth == 4999


def test_the_json_has_the_keys_of_the_seed_and_the_status():
    (row,) = as_tree([state("a", "u", "p", name="n", task="Count", is_running=True)])
    assert row.to_json() == {
        "uuid": "u",
        "parentId": "p",
        "name": "n",
        "fileUri": "file:///p/a",
        "isWindowOpen": False,
        "isRunning": True,
        "isTaskFinished": False,
        "prompt": "Count",
        "status": "running",
    }
    assert row.to_json().keys() - {"status"} == KEYS
