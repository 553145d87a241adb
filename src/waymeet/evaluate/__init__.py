"""Evaluation of search quality: test collections, runs, metrics, and tuning of weights."""
