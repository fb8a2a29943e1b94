"""The Jupyter kernel: the mouth of the engine that notebooks talk to."""
