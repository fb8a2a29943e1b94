"""A conversation and the path of its cassette."""

from cassette_paths import cassette, chat  # noqa: F401 - fixtures
