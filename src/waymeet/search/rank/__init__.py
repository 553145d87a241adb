"""Change the scores of candidates: names, links, feedback, rerankers."""
