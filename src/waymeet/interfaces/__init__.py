"""Interfaces of the core: command line, HTTP, MCP, adapters. Only code here prints."""
