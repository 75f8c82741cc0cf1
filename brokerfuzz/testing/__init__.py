"""Lets test suites use brokerfuzz: the pytest plugin, and the decorator that turns cases into tests."""
