"""The arithmetic of ranking: pure functions, one small file each, every worked example a doctest.

A formula whose result a user may ask about returns an `Explanation`: the number together with how it came about,
built in one go so that the two cannot disagree.
"""
