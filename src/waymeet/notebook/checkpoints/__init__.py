"""Checkpoints: saved states of all notes, tasks and skills."""
