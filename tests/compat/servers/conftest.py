"""A user of a server that others wrote."""

from real_servers import api, ask, settings  # noqa: F401 - fixtures
