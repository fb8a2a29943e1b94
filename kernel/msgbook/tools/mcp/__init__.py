"""The client of MCP servers: programs and URLs of the user's own configuration that offer tools.

- `servers`: all configured servers, as the kernel sees them.
- `server`: one of them; its starts, in the thread with the event loop in which all connections live.
- `tool`, `listing`: a server's tools and answers, as a model sees them, and the lists of tools from the time before.
- `connection`: a connection with its owner task, its first exchange, and how much of a server's mistake counts.
- `transports`, `server_process`: bytes to messages, with bounds.

Only `connection` and `transports` import the SDK (`mcp`), in that thread, when a server starts.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.tools.mcp.listing import KeptLists, Listing, read_listing
    from msgbook.tools.mcp.server import ClientThread, McpServer
    from msgbook.tools.mcp.servers import McpServers, digests_of
    from msgbook.tools.mcp.tool import McpError, McpTool
else:
    __getattr__ = lazy_names(__name__)
