"""How good are the answers? Test collections, runs over them, and what they are worth."""
