"""Defines the bugs that can be seeded in the reference service. Each module contains similar bugs."""
