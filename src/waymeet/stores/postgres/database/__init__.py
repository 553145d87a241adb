"""Connections, transactions and tables of the server."""
