"""Defines the bugs that can be seeded, one module per kind. Each bug is a flaw (see `flaws`) with a description."""
