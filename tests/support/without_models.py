"""What keeps models, their vectors and their processes out of tests that are not about them."""

WITHOUT_MODELS = {
    "WAYMEET_EMBEDDING_PROVIDER": "none",
    "WAYMEET_EMBEDDING_BACKGROUND": "false",
    "WAYMEET_EMBEDDING_CACHE_MEGABYTES": "0",
    "WAYMEET_TERMINAL_NOTICE_SECONDS": "0",
}
"""Models take seconds to load, vectors and processes outlive a test, and a busy machine must not add lines."""
