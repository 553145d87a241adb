"""Review of items: state of spaced repetition, suggested tier, and conflicts between items."""
