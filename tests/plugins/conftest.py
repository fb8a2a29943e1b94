"""Plug-ins for tests."""

from plugin_folders import example, packages  # noqa: F401 - fixtures
