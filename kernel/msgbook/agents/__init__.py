"""Agents: who answers a cell, and the project rules and skills that an agent works with.

- `agent`: an agent and its properties.
- `named_agents`: the agents that can be named below some cells; `resolve`: the one that answers, and its models.
- `project_files`: agents, rules and skills read from a project; `markdown_file` splits such a file.
- `identity`: who a conversation is, and which copy is another one.
- `narrowing`: what an agent may use of the user's configuration and folders; `mcp_selection`: which tools of MCP servers.
- `selection`, `project_rules`, `skills`: the rules and skills in use.
- `system_prompt`: the system prompt, which names skills and folders.
- `request_options`: properties that become keys of a request.

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
        parse_temporary,
    )
    from msgbook.agents.identity import Identified, Identities
    from msgbook.agents.named_agents import (
        AgentSources,
        AvailableAgent,
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
    from msgbook.agents.request_options import (
        build_system_prompt,
        make_request_options,
        select_server_tools,
        select_servers,
    )
else:
    __getattr__ = lazy_names(__name__)
