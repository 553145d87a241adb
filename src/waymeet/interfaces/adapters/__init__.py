"""Retrievers for other libraries.

Install with `pip install 'waymeet[langchain]'` or `pip install 'waymeet[llamaindex]'`.
"""
