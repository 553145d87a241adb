"""Segment files: immutable arrays, memory-mapped, derived from the tables of an index.

A segment numbers its documents and chunks from 0 in the order of path and ordinal; these numbers are called positions
(Lucene: doc ids). A deleted document stays in its segment, and the tables list its position, until a merge.
"""
