"""Formulas of ranking: pure functions with worked examples as doctests.

A formula whose result is shown to users returns an `Explanation`: the number and its derivation, built in one step so
that they cannot differ.
"""
