"""Compares generators of offers: their speed, their share of invalid messages, and their variety."""
