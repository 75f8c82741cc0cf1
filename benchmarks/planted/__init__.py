"""Programs with one planted bug each, and the number of examples that each source of examples needs to find it."""
