"""What tests of `tests/cli/test_incomplete_answers.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

from scripted_server import Answer, delta

from msgbook_format import read
from msgbook_format.turn import answer_text, turn_of

CUT = Answer([delta(content="One, two")], done=False)


def answers(path):
    """Source, status and text of each prompt."""
    turns = [(cell.source, turn_of(cell.outputs[0])) for cell in read(path).cells]
    return [(source, turn["status"], answer_text(turn["blocks"])) for source, turn in turns]


INCOMPLETE = '[^a]: [markdown] {}\n\nHi\n\n# %%% [^a-1]\n\n[^a-1]: [assistant] turn_status="incomplete"\n\nOne\n'
