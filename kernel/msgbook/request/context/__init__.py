"""What a prompt brings with it: macros, references, the block that holds them, images."""
