"""What keeps a text as its author wrote it when its notebook is written again."""
