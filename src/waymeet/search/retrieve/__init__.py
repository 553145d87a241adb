"""Retrieve candidates: lexical, vector and graph lists."""
