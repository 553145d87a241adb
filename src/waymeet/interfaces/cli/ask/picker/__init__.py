"""The picker of `waymeet search -i`: results while typing, with a preview."""
