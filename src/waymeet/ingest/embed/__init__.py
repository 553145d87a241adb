"""Embed sections that have no vector yet."""
