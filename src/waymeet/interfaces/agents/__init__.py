"""Registering Waymeet with agents: where each keeps its settings, and how those are changed without harm."""
