"""A turn in the text file: a run of `# %%%` cells, one for each block."""
