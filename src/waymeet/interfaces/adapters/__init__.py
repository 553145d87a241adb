"""Retrievers for other libraries: `pip install 'waymeet[langchain]'` or `'waymeet[llamaindex]'`."""
