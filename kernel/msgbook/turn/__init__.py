"""A turn: the model and the tools take steps until the model calls no more tools.

Knows neither Jupyter nor an SDK.
"""

from msgbook.config.limits import Limits
from msgbook.turn.loop import run_turn

__all__ = ["Limits", "run_turn"]
