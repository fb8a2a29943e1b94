"""A turn: the model and the tools take steps until the model calls no more tools.

Knows neither Jupyter nor an SDK.
"""

from msgbook.turn.limits import LIMIT_KEYS, Limits
from msgbook.turn.loop import run_turn

__all__ = ["LIMIT_KEYS", "Limits", "run_turn"]
