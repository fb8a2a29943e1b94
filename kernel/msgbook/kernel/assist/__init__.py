"""Completion and inspection while a prompt is written."""
