"""Build index entries: documents, chunks, terms and links of files and folders."""
