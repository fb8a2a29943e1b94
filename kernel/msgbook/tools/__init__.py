"""What a model can do: the tools and the rights within which they run."""
