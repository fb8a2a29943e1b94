"""The text of a message file: lines, markers, attributes, fences, frontmatter. Nothing here has a meaning yet."""
