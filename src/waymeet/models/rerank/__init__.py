"""Rerankers: local, remote, and the circuit breaker around them."""
