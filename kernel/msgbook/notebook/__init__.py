"""The notebook as the conversation's memory: cells, their names, and where they are read from."""
