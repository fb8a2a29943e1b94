"""Talk to a language model in Jupyter: a cell is a message, running it is a turn."""

__version__ = "0.1.0"
