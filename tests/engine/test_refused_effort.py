"""A server that takes no reasoning effort is asked without it, over all APIs and in whatever words it refuses it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from apis import over_all_apis
from refusing import Session, notices

WORDS = [
    "m doesn't support reasoning.effort",
    "litellm.BadRequestError: m doesn\u2019t support reasoning.effort.",
    "This model doesn't support the effort parameter",
    "`reasoning_effort` isn't a recognised parameter",
    "Unknown parameter: 'reasoning.effort'.",
    "Unsupported parameter: 'reasoning' is not supported with this model.",
    "output_config.effort: Extra inputs are not permitted",
    "litellm.UnsupportedParamsError: m does not support parameters: ['reasoning_effort']",
    "thinking: adaptive thinking is not supported on this model",
    "Reasoning effort is not configurable for m",
    "reasoning is not available for this model",
    "Extended thinking isn't available",
    "\u8be5\u6a21\u578b\u4e0d\u652f\u6301 reasoning_effort",
    "unexpected keyword argument 'reasoning_effort'",
    "Encountered unsupported reasoning level 'high'",
]


@over_all_apis
@pytest.mark.parametrize("wish", ['reasoning_effort = "high"', "reasoning = false"])
def test_an_effort_that_is_refused_is_left_out_and_said_once(server, tmp_path, api, wish):
    config = f'[agents.r]\nmodel = "claude-opus-4-6"\n{wish}\n'

    async def talk(words: str) -> tuple[Any, Any]:
        def refuse(request: dict[str, Any]) -> str | None:
            return words if _asks_for_reasoning(request) else None

        async with Session(server, tmp_path, api, config=config) as session:
            return [await session.ask("%%msg agent=r\nhi", refuse=refuse) for _ in range(2)]

    for words in WORDS:
        first, second = asyncio.run(talk(words))

        assert (first["status"], second["status"]) == ("done", "done"), words
        assert len(notices(first)) == 1
        assert notices(second) == []


def _asks_for_reasoning(request: dict[str, Any]) -> bool:
    """Return whether a request says anything of reasoning."""
    return not request.keys().isdisjoint(
        ("reasoning_effort", "reasoning", "thinking", "output_config")
    )
