"""Evaluations on temporary indexes, and reports of their results."""
