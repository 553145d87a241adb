"""Turn candidates into hits: snippets, relevance, explanations."""
