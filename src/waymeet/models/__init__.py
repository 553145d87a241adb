"""Implementations of the ports Embedder, Reranker and Expander."""
