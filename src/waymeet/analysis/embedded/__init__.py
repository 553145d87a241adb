"""Texts that embedding models get, and the names of vector spaces."""
