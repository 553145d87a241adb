"""The composition root: the only place where backends, models and recipes meet."""
