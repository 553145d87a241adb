"""How good the answers are, for people: evaluations carried out, and their reports."""
