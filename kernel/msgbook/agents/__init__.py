"""Agents: who answers a cell, and the project rules and skills that an agent works with.

- `agent`: an agent, its properties, and what it may use of the user's configuration and folders.
- `named_agents`: the agents that can be named below some cells, and the one that answers, with its models.
- `project_files`: agents, rules and skills of a project, and those that a conversation uses.
- `identity`: who a conversation is, and which copy is another one.
- `for_requests`: what an agent gives to a request: its system prompt, keys of the body, and MCP tools.

Names are imported when they are first used: the kernel starts without them.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.agents.agent import (
        Agent,
        ConfiguredNames,
        name_values,
        narrow_agent,
        narrow_roots,
        parse_agent,
        parse_temporary,
    )
    from msgbook.agents.for_requests import (
        build_system_prompt,
        make_request_options,
        select_server_tools,
        select_servers,
    )
    from msgbook.agents.identity import Identified, Identities
    from msgbook.agents.named_agents import (
        AgentSources,
        AvailableAgent,
        ChosenModels,
        ResolvedAgent,
        UnknownAgentError,
        UnreadableAgentError,
        list_available_agents,
        requested_models,
        requested_name,
        resolve_agent,
    )
    from msgbook.agents.project_files import (
        ProjectFiles,
        ProjectRule,
        Selection,
        read_project,
        rules_in_force,
        select,
        skills_in_use,
    )
else:
    __getattr__ = lazy_names(__name__)
