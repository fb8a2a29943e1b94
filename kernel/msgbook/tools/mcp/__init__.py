"""The client of MCP servers: programs and URLs of the user's own configuration that offer tools.

- `servers`, `server`: all configured servers, and one, as the kernel sees them.
- `tool`, `names`, `listing`, `results`: a server's tools and answers, as a model sees them; pure but for `tool`.
- `kept_lists`: lists of tools from the time before; `recorded_server`: a server of a cassette.
- `client_thread`: the thread with the event loop in which all of the following lives.
- `running_server`, `connection`, `session_start`: starts of a server, a connection with its owner task, and its
  first exchange.
- `transports`, `server_process`, `dispatcher`: bytes to messages, with bounds.

Only `connection`, `session_start`, `transports` and `dispatcher` import the SDK (`mcp`), in that thread, when a server starts.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.tools.mcp.listing import read_listing
    from msgbook.tools.mcp.recorded_server import RecordedServer
    from msgbook.tools.mcp.server import McpServer
    from msgbook.tools.mcp.servers import McpServers, digests_of
    from msgbook.tools.mcp.tool import McpError, McpTool
else:
    __getattr__ = lazy_names(__name__)
