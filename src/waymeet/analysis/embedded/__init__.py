"""Texts that embedding models get: sections, their parts, whole files; and the names of vector spaces."""
