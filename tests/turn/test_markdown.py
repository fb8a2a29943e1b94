from __future__ import annotations

from msgbook_format.turn import TURN_MIME, bundle


def test_a_bundle_holds_the_turn_and_two_derived_texts_and_no_html():
    turn = {"version": 1, "status": "done", "blocks": [{"type": "text", "text": "Hi"}]}
    assert bundle(turn) == {TURN_MIME: turn, "text/markdown": "Hi", "text/plain": "[done] Hi"}
