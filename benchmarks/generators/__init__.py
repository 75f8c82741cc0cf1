"""A comparison of generators of the same messages: their speed, their share of invalid messages, and their variety."""
