"""Requests: how a prompt, its context and the cells above it become messages.

- `builder`: `RequestBuilder.prepare` makes the request of a prompt, in this order:
  `active_agent` chooses the agent; `context/` reads references, macros, project rules and images, from
  `reference_sources`; `history/` makes messages of the cells above. `Preview` is a request that is only shown.
- `above`: what prompts above bring. It makes texts again whose blobs are gone, resolves prompts that have no record,
  and finds files that have changed.
- `services`: what a turn may do for a request, such as missing summaries, and a preview may not.
- `request_parts`: the parts of a previewed request, as all hosts list them.
- `prompt_checks`, `context_window`: checks before a request is sent. `token_estimates` estimates its length.
- `records`: the entries of a recorded context. `blobs`: the texts that they name.
- `lineage`: what a notebook narrows: its place among agents that call agents, and tools that it does without.

Names are imported when they are first used: the kernel starts without them.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.request.active_agent import ActiveAgent, AgentChooser, check_prices
    from msgbook.request.builder import PreparedRequest, Preview, RequestBuilder
    from msgbook.request.context.files import deny_all
    from msgbook.request.context.images import small_picture
    from msgbook.request.context.macros import (
        REMOVE,
        Definition,
        MacrosAbove,
        deactivate,
        macros_above,
        macros_in_force,
    )
    from msgbook.request.context.python_values import describe_value
    from msgbook.request.context.references import (
        ResolvedReferences,
        list_broken_references,
        resolve_references,
    )
    from msgbook.request.context.sources import ReferencedText, SourceError
    from msgbook.request.context.tags import Tag, find_tags
    from msgbook.request.context_window import check_context_window, describe_overflow
    from msgbook.request.lineage import Lineage, is_off, lineage_of, switched_off
    from msgbook.request.prompt_checks import check_prompt, list_prompt_warnings, read_prompt
    from msgbook.request.reference_sources import ReferenceSources
    from msgbook.request.request_parts import (
        PLACEHOLDER,
        KeptPrefix,
        RequestMessage,
        body_of,
        cell_history,
        count_tokens,
        find_kept,
        list_messages,
        transcript_of_next,
    )
    from msgbook.request.services import (
        UNKNOWN_MODEL,
        PreviewServices,
        TurnServices,
        warn_once,
    )
    from msgbook.request.token_estimates import (
        estimate_cell_tokens,
        estimate_text_tokens,
        estimate_tokens,
    )
else:
    __getattr__ = lazy_names(__name__)
