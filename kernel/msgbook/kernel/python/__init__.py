"""The notebook's Python, as tools and references use it."""
