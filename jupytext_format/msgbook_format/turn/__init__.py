"""The turn: its model and the Markdown derived from it.

The Markdown needs a parser, whose import takes a fifth of a kernel's start. It is therefore imported
when it is first needed.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names
from msgbook_format.turn.kinds import (
    DISPLAYS,
    ERRORS,
    KINDS,
    NOTICES,
    REASONINGS,
    TEXTS,
    TOOL_CALLS,
    TOOL_RESULTS,
    Kind,
    kind_of,
)
from msgbook_format.turn.model import (
    TURN_MIME,
    TURN_VERSION,
    AgentRow,
    Block,
    Context,
    Turn,
    Usage,
    answer_text,
    blocks_of_type,
    image_url,
    is_finished_call,
    match_results,
    step_positions,
    turn_of,
)

if TYPE_CHECKING:
    from msgbook_format.turn.agent_rows import SUBAGENT_FILE, ShownAgent, shown_agents
    from msgbook_format.turn.markdown.dialect import DISPLAY, FORMULA, TASK, dialect_parser
    from msgbook_format.turn.markdown.escape import (
        code_block,
        escape_line,
        find_language,
        replace_controls,
        safe_destination,
        safe_image,
        takes_too_long,
    )
    from msgbook_format.turn.markdown.render import bundle, to_markdown, to_plain
    from msgbook_format.turn.markdown.safe import safe_markdown
    from msgbook_format.turn.model import (
        COMPLETE_REASONS,
        FINISH_REASONS,
        PAUSE_REASON,
        PROVIDER_REASONS,
        LimitReason,
    )
    from msgbook_format.turn.output_cells.turns import without_derived
    from msgbook_format.turn.wording import (
        HIDDEN_REASONING,
        Source,
        is_hidden_reasoning,
        model_words,
        reasoning_tokens_words,
        shown_sources,
    )
else:
    __getattr__ = lazy_names(__name__)
