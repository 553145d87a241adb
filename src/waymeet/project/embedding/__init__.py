"""Embedding of a project: the job, its background process, and approximate vectors."""
