"""A turn as output cells (`# %%%`) below its prompt, one for each block."""
