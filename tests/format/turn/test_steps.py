"""The order in a turn's blocks."""

from typing import Any

from msgbook_format.turn import answer_text, blocks_of_type, match_results, step_positions


def call(call_id: Any, step: Any = 1, **keys: Any) -> dict[str, Any]:
    return {"type": "tool_call", "step": step, "id": call_id, **keys}


def result(call_id: Any, step: Any = 1) -> dict[str, Any]:
    return {"type": "tool_result", "step": step, "id": call_id}


def test_a_result_answers_the_call_of_its_step_that_has_its_id() -> None:
    blocks: Any = [
        call("a"),
        result("a"),
        call("a", 2),
        call("b", 2),
        result("b", 2),
        result("a", 2),
    ]

    assert match_results(blocks) == {0: 1, 2: 5, 3: 4}


def test_a_result_in_another_step_answers_a_call_that_has_none_in_its_own() -> None:
    blocks: Any = [call("a"), result("a", 2), call("b"), result("b"), result("b", 2)]

    assert match_results(blocks) == {0: 1, 2: 3}


def test_calls_with_one_id_are_answered_in_their_order() -> None:
    blocks: Any = [call("a"), call("a"), result("a"), result("a")]

    assert match_results(blocks) == {0: 2, 1: 3}


def test_an_unfinished_call_has_no_result() -> None:
    blocks: Any = [call("a", unfinished=True), result("a")]

    assert match_results(blocks) == {}


def test_odd_ids_and_steps_are_no_error() -> None:
    blocks: Any = [
        call([1], {}),
        {"type": "tool_call"},
        result({}, []),
        {"type": "text", "text": 3},
    ]

    assert match_results(blocks) == {0: 2}
    assert step_positions(blocks) == [[0, 1, 2, 3]]
    assert answer_text(blocks) == ""


def test_steps_come_in_order_of_their_first_blocks() -> None:
    blocks: Any = [call("a", 2), call("b", 1), result("a", 2)]

    assert step_positions(blocks) == [[0, 2], [1]]


def test_the_answer_is_the_texts_that_say_something() -> None:
    texts = [{"type": "text", "text": text} for text in ("one", "", "two")]
    blocks: Any = [{"type": "reasoning", "text": "Hm."}, *texts]

    assert answer_text(blocks) == "one\n\ntwo"
    assert blocks_of_type(blocks, "reasoning") == [blocks[0]]
