"""Masked forms of notes, tasks and skills, and changes that are based on them."""
