"""Agents that a conversation defines or names, their properties, and the AgentMetadata of its own."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.agents.agent_metadata import (
        AGENT_METADATA_KEY,
        OWN_FOLDER,
        TASK_FINISH,
        AgentMetadata,
        AgentRuntimeStatus,
        agent_metadata_of,
        finished_agent,
        new_agent_metadata,
        runtime_status,
        task_report,
    )
    from msgbook_format.agents.definitions import (
        DEFAULT_AGENT,
        AgentTables,
        agent_tables,
        defined_agents,
        lines_with_default_agent,
        list_agents,
        with_default_agent,
    )
    from msgbook_format.agents.properties import (
        OTHER_NAMES,
        PROPERTIES,
        USERS_OWN,
        find_property,
        property_table,
        read_names,
        read_text,
    )
else:
    __getattr__ = lazy_names(__name__)
