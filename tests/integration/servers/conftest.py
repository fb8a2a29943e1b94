"""A user of a server that others wrote."""

from real_servers import api, ask, mock, module_aimock, settings  # noqa: F401 - fixtures
