"""The Jupyter kernel: the host that runs turns for notebooks and consoles."""
