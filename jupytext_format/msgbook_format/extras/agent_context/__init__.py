"""Conversations in the JSON of an AgentContext (seeds 000 and 001): `.mtm`, `.mutsumi-notebook`."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.extras.agent_context.content import BrokenContextError, escaped
    from msgbook_format.extras.agent_context.files import (
        context_from,
        dump_context,
        load_context,
        notebook_from,
    )
else:
    __getattr__ = lazy_names(__name__)
