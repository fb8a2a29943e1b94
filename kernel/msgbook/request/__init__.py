"""Requests: how a prompt, its context and the cells above it become messages.

- `builder`: `RequestBuilder.prepare` makes the request of a prompt, in this order:
  `active_agent` chooses the agent; `context/` reads references, macros, project rules and images, from
  `reference_sources`; `history/` makes messages of the cells above; `summary_calls` makes missing summaries.
- `services`: what a turn may do for a request, and a preview may not.
- `prompt_checks`, `context_window`: checks before a request is sent. `token_estimates` estimates its length.
- `blobs`: texts as they were sent.
- `turn_views`: the views with which earlier turns were requested.

Names are imported when they are first used: the kernel starts without them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msgbook.request.active_agent import ActiveAgent, AgentChooser
    from msgbook.request.builder import PreparedRequest, RequestBuilder
    from msgbook.request.context.files import deny_all
    from msgbook.request.context.macros import (
        REMOVE,
        Definition,
        MacrosAbove,
        macros_above,
        macros_in_force,
    )
    from msgbook.request.context.python_values import describe_value
    from msgbook.request.context.references import ResolvedReferences, resolve_references
    from msgbook.request.context.sources import Document, SourceError
    from msgbook.request.context.tags import Tag, find_tags
    from msgbook.request.context_window import check_context_window, describe_overflow
    from msgbook.request.prompt_checks import check_prompt, list_prompt_warnings, read_prompt
    from msgbook.request.reference_sources import ReferenceSources
    from msgbook.request.services import (
        UNKNOWN_MODEL,
        PreviewServices,
        RequestServices,
        TurnServices,
    )
    from msgbook.request.token_estimates import (
        estimate_cell_tokens,
        estimate_text_tokens,
        estimate_tokens,
    )
    from msgbook.request.turn_views import make_turn_views

__all__ = [
    "REMOVE",
    "UNKNOWN_MODEL",
    "ActiveAgent",
    "AgentChooser",
    "Definition",
    "Document",
    "MacrosAbove",
    "PreparedRequest",
    "PreviewServices",
    "ReferenceSources",
    "RequestBuilder",
    "RequestServices",
    "ResolvedReferences",
    "SourceError",
    "Tag",
    "TurnServices",
    "check_context_window",
    "check_prompt",
    "deny_all",
    "describe_overflow",
    "describe_value",
    "estimate_cell_tokens",
    "estimate_text_tokens",
    "estimate_tokens",
    "find_tags",
    "list_prompt_warnings",
    "macros_above",
    "macros_in_force",
    "make_turn_views",
    "read_prompt",
    "resolve_references",
]

_HOMES = {
    "ActiveAgent": "active_agent",
    "AgentChooser": "active_agent",
    "Definition": "context.macros",
    "Document": "context.sources",
    "MacrosAbove": "context.macros",
    "PreparedRequest": "builder",
    "PreviewServices": "services",
    "REMOVE": "context.macros",
    "ReferenceSources": "reference_sources",
    "RequestBuilder": "builder",
    "RequestServices": "services",
    "ResolvedReferences": "context.references",
    "SourceError": "context.sources",
    "Tag": "context.tags",
    "TurnServices": "services",
    "UNKNOWN_MODEL": "services",
    "check_context_window": "context_window",
    "check_prompt": "prompt_checks",
    "deny_all": "context.files",
    "describe_overflow": "context_window",
    "describe_value": "context.python_values",
    "estimate_cell_tokens": "token_estimates",
    "estimate_text_tokens": "token_estimates",
    "estimate_tokens": "token_estimates",
    "find_tags": "context.tags",
    "list_prompt_warnings": "prompt_checks",
    "macros_above": "context.macros",
    "macros_in_force": "context.macros",
    "make_turn_views": "turn_views",
    "read_prompt": "prompt_checks",
    "resolve_references": "context.references",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
