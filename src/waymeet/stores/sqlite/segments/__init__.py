"""The segment files of an index: registry, write buffer, maintenance."""
