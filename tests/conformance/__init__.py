"""One suite for every store: a new backend is one more line in `backends.py`."""
