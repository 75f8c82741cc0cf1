"""Generators of the same messages side by side: how fast, how often wrong, how varied."""
