"""Programs with one planted bug each. The benchmark measures how many examples each source needs to find the bug."""
