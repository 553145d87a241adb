"""What keeps models, their vectors and their processes out of tests that are not about them."""

WITHOUT_MODELS = {
    "WAYMEET_EMBEDDING_PROVIDER": "none",
    "WAYMEET_EMBEDDING_BACKGROUND": "false",
    "WAYMEET_EMBEDDING_CACHE_MEGABYTES": "0",
}
"""Models take seconds to load, and vectors and processes outlive a test."""
