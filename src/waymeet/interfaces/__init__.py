"""The doors: thin layers over one core. The only place that prints."""
