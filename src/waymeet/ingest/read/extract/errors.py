"""Why the text of a file could not be taken out."""


class ExtractError(Exception):
    """A file that holds text which we cannot get at. Its message is the reason that is listed for the file."""

    @classmethod
    def without(cls, extra: str, what: str) -> "ExtractError":
        """Say which extra is missing, and how to get it.

        >>> str(ExtractError.without("pdf", "PDF files"))
        "PDF files need an extra: pip install 'waymeet[pdf]'"
        """
        return cls(f"{what} need an extra: pip install 'waymeet[{extra}]'")
