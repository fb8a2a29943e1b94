"""AgentMetadata and AgentRuntimeStatus are those of seed 001."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from msgbook_format.agents import new_agent_metadata, runtime_status

MADE = datetime(2026, 1, 15, 10, 30, tzinfo=UTC)


def test_a_main_agent_has_these_keys_and_no_task():
    metadata = new_agent_metadata(uuid="u", created_at=MADE, name="chat")
    assert metadata == {
        "uuid": "u",
        "name": "chat",
        "created_at": "2026-01-15T10:30:00.000Z",
        "parent_agent_id": None,
        "allowed_uris": ["."],
    }


def test_a_sub_agent_names_its_parent_and_has_an_unfinished_task():
    metadata = new_agent_metadata(
        uuid="u",
        created_at=MADE,
        name="search",
        allowed_uris=("src",),
        parent_agent_id="p",
        parent={"file": "chat.msg.md", "call": "call_1"},
    )
    assert metadata["parent_agent_id"] == "p"
    assert metadata["is_task_finished"] is False
    assert metadata["parent"] == {"file": "chat.msg.md", "call": "call_1"}
    assert metadata["allowed_uris"] == ["src"]


def test_the_time_is_written_in_utc_wherever_it_was_read():
    there = MADE.astimezone(timezone(timedelta(hours=8)))
    metadata = new_agent_metadata(uuid="u", created_at=there, name="chat")
    assert metadata["created_at"] == "2026-01-15T10:30:00.000Z"


@pytest.mark.parametrize(
    ("is_running", "is_task_finished", "parent_id", "status"),
    [
        (True, False, None, "running"),
        (True, True, "p", "running"),
        (False, True, "p", "finished"),
        (False, True, None, "finished"),
        (False, False, "p", "pending"),
        (False, False, None, "standby"),
    ],
)
def test_running_wins_over_finished_and_only_a_sub_agent_is_pending(
    is_running, is_task_finished, parent_id, status
):
    found = runtime_status(
        is_running=is_running, is_task_finished=is_task_finished, parent_id=parent_id
    )
    assert found == status
