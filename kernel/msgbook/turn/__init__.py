"""A turn: model, tools, model, until the model calls no more. Knows no Jupyter and no SDK."""

from msgbook.turn.limits import LIMIT_KEYS, Limits
from msgbook.turn.loop import run_turn

__all__ = ["LIMIT_KEYS", "Limits", "run_turn"]
