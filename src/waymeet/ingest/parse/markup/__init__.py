"""Parsers of Markdown, HTML, reStructuredText, AsciiDoc and plain text."""
