"""Ranking by words over segments and a write buffer, the same on SQLite and PostgreSQL."""
