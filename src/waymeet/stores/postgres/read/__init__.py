"""Queries on the tables."""
