"""The outputs of code cells as `# %%%` cells: streams, MIME data, errors, files."""
