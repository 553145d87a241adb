"""Segment files: registry, buffer, maintenance."""
