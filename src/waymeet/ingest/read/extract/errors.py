"""Errors of text extraction."""


class ExtractError(Exception):
    """The text of a file cannot be extracted, with the reason that is listed for the file."""

    @classmethod
    def missing_extra(cls, extra: str, files: str) -> "ExtractError":
        """Create the error for files that need an extra which is not installed.

        >>> str(ExtractError.missing_extra("pdf", "PDF files"))
        "PDF files need an extra: pip install 'waymeet[pdf]'"
        """
        return cls(f"{files} need an extra: pip install 'waymeet[{extra}]'")
