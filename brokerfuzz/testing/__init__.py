"""Lets test suites use brokerfuzz: the pytest plugin, and the decorator that turns cases into tests."""

CHOSEN = "__brokerfuzz_cases__"
"""The attribute of a test function that contains its `ChosenCases`."""
