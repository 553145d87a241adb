"""Tokenizers of the local models."""
