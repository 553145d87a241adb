"""Model files: formats, downloads, checksums."""
