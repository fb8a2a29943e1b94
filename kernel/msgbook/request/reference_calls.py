"""Tool calls that a prompt makes itself with `@[tool{json}]`. They run first; the turn shows them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

from msgbook.events import ReferenceCalled
from msgbook.messages import content_text
from msgbook.request.context.sources import ReferencedText, SourceError
from msgbook.text import repair_surrogates
from msgbook.turn import CallRunner, TurnRecord
from msgbook_format.turn import blocks_of_type


class ReferenceCalls:
    """Runs the calls under the rules for a model's calls.

    Args:
        changed: Called after each change of the record.
        now: Monotonic seconds.
        new_token: Returns as many random bytes as hex digits.
    """

    def __init__(
        self,
        runner: CallRunner,
        record: TurnRecord,
        changed: Callable[[], None],
        now: Callable[[], float],
        new_token: Callable[[int], str],
    ) -> None:
        self._runner = runner
        self._record = record
        self._changed = changed
        self._now = now
        self._new_token = new_token

    async def run(self, name: str, arguments: str) -> ReferencedText:
        """Run a call, and return the text of its result.

        Raises:
            SourceError: The call was denied or failed.
        """
        call_id = f"reference_{self._new_token(4)}"
        self._record.apply(ReferenceCalled(call_id, name, arguments), self._now())
        blocks = self._record.step_blocks()
        call = next(block for block in blocks if block["id"] == call_id)
        async with aclosing(self._runner.run([call])) as events:
            async for _ in events:
                self._changed()
        results = blocks_of_type(self._record.step_blocks(), "tool_result")
        result = next((block for block in results if block["id"] == call_id), None)
        if result is None:
            raise SourceError("it did not run, because the turn has reached its limits")
        text = repair_surrogates(content_text(result["content"]))
        if result["status"] != "success":
            raise SourceError(text)
        return ReferencedText(text, "literal", needed_approval=call.get("approval") != "auto")
