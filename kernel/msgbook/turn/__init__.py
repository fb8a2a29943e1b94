"""A turn: the model and the tools take steps until the model calls no more tools.

Knows neither Jupyter nor an SDK.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.turn.call_results import interrupted_result
    from msgbook.turn.calls import Attempt, CallRunner, CapResult, RepeatedCalls, RunCall, run_now
    from msgbook.turn.limits import AnswerSize, Budgets, Purse
    from msgbook.turn.loop import run_turn
    from msgbook.turn.record import REFERENCE_STEP, TurnRecord
    from msgbook.turn.replay import turn_messages
    from msgbook.turn.server_data import repair_block, strip_hidden_server_data
    from msgbook.turn.text_calls import find_text_call
else:
    __getattr__ = lazy_names(__name__)
