"""Read files safely: bytes, decoding, text extraction, secrets."""
