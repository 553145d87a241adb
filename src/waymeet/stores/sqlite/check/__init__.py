"""Consistency checks and repair."""
