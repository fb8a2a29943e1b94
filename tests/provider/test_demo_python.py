"""The demo model in the sample notebook of Python: numbers that a message brings, and the cell that fails."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asked_demo_model import ask, called

from msgbook.host import sample
from msgbook.messages import assistant, tool_call, user
from msgbook.provider.demo_model import BROKEN, MENDED
from msgbook.request.context.python_values import describe_value

CELL_TOOLS = ("read", "read_cell", "edit_cell", "insert_cell", "run_cell")
FAILED = user(
    f"I ran this code:\n\n```python\n{BROKEN}\n```\n\nOutput:\n\n```\nKeyError: 'September'\n```"
)
FIX = user("Fix the error above: change the cell `average`, and run it again.")
CHANGE = {"cell": "average", "old": BROKEN, "new": MENDED}


def asked(words: str, **values: Any) -> dict[str, Any]:
    """A message that brings Python values along."""
    files = {f"py:{name}": describe_value(value) for name, value in values.items()}
    block = json.dumps({"rules": [], "files": files, "tools": []}, ensure_ascii=False)
    return user(f"{words}\n\n<content_reference>\n{block}\n</content_reference>")


def edited(result: str) -> list[dict[str, Any]]:
    calls = [tool_call("c", "edit_cell", json.dumps(CHANGE))]
    return [assistant(None, calls), {"role": "tool", "tool_call_id": "c", "content": result}]


def test_it_says_what_the_numbers_of_a_variable_are():
    rain = {"January": 61.5, "February": 40.0, "March": 52.0}

    text, name, _, reason = ask(asked("Which was the wettest?", rain=rain), tools=CELL_TOOLS)

    assert (name, reason) == ("", "stop")
    assert "**January** has the largest number, 61.5, and February the smallest, 40." in text
    assert "The 3 numbers in `rain` add up to **153.5**, which is 51.2 on average" in text


@pytest.mark.parametrize(
    "value",
    [{}, {"a": "b"}, {"a": 1, "b": None}, dict.fromkeys(map(str, range(30)), 1), [1, 2], 7],
    ids=["empty", "texts", "gaps", "cut", "list", "number"],
)
def test_it_makes_no_sum_of_other_values(value: Any):
    text, *_ = ask(user("Hi"), assistant("Ho"), asked("How much?", x=value), tools=("read",))

    assert "brought along: `py:x`" in text


def test_the_code_above_is_not_counted_among_the_messages():
    code = user("I ran this code:\n\n```python\nx = 1\n```")

    text, *_ = ask(code, user("First?"), assistant("Ho"), code, user("Next?"), tools=("read",))

    assert "**2 messages of yours**" in text
    assert "The first begins: “First”" in text


def test_the_cell_that_fails_is_changed_and_run_again():
    _, name, arguments, reason = ask(FAILED, FIX, tools=CELL_TOOLS)
    assert (name, arguments, reason) == ("edit_cell", CHANGE, "tool_calls")

    diff = f"--- cell average\n+++ cell average\n@@ -1 +1 @@\n-{BROKEN}\n+{MENDED}\n"
    _, name, arguments, _ = ask(FAILED, FIX, *edited(diff), tools=CELL_TOOLS)
    assert (name, arguments) == ("run_cell", {"cell": "average"})

    text, name, _, reason = ask(
        FAILED, FIX, *edited(diff), *called("run_cell", "In autumn"), tools=CELL_TOOLS
    )
    assert (name, reason) == ("", "stop")
    assert "takes only months that `rain` has" in text


def test_where_no_cell_can_be_run_the_changed_one_is_not():
    text, name, _, _ = ask(FAILED, FIX, *edited("--- cell average\n"), tools=("edit_cell",))

    assert name == ""
    assert "takes only months that `rain` has" in text


def test_a_change_that_is_denied_is_not_made_another_way():
    text, name, _, reason = ask(FAILED, FIX, *edited("Denied by the user."), tools=CELL_TOOLS)

    assert (name, reason) == ("", "stop")
    assert text.startswith("The cell is as it was")


@pytest.mark.parametrize(
    ("message", "tools"),
    [("Explain the error above, and what causes it.", CELL_TOOLS), (FIX["content"], ("read",))],
)
def test_the_error_is_explained_where_nothing_is_to_be_changed(
    message: str, tools: tuple[str, ...]
):
    text, name, _, _ = ask(FAILED, user(message), tools=tools)

    assert name == ""
    assert "`rain.csv` has no number for September" in text


@pytest.mark.parametrize(
    "above",
    [user("I ran this code:\n\n```python\n1 / 0\n```\n\nOutput:\n\nZeroDivisionError"), user("Hi")],
)
def test_other_errors_are_not_its_own(above: dict[str, Any]):
    text, name, _, _ = ask(above, FIX, tools=CELL_TOOLS)

    assert (text, name) == ("", "read")


def test_the_sample_has_the_line_and_the_numbers_that_it_knows():
    notebook, rows = sample("rain.msg.md"), sample("rain.csv").splitlines()

    assert notebook.count(BROKEN) == 1
    assert [row for row in rows if row.endswith(",")] == ["September,"]
