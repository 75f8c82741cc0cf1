"""Plausible messages: those that a shop for printed and promotional products could send. They are for demonstrations
and load tests, so their values are unique where shops number things, belong together, and are never unusual.
"""
