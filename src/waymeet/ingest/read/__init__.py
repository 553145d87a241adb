"""Reading of files: bytes, decoding, text extraction, masking of secrets."""
