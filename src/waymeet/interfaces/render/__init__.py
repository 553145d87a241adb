"""Render results as text, Markdown or graphs."""
