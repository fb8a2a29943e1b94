"""The states of the conversations of a folder (AgentStateInfo, seed 001): which there are, and what they do.

- `heads`: what a conversation's file says of its agent, of which only the part with the metadata is read.
- `running`: which conversations run, whatever process runs them, and where sub-agents are.
- `states`: the list of conversations of a folder, as a tree.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.agent_states.heads import Head, HeadError, read_head
    from msgbook_format.agent_states.running import (
        SUB_AGENTS,
        RunningMarks,
        claim,
        mark_running,
        read_marks,
    )
    from msgbook_format.agent_states.states import AgentState, TreeRow, as_tree, list_folder
else:
    __getattr__ = lazy_names(__name__)
