"""The bugs that can be seeded, one module per kind. Each bug combines a flaw from `flaws` with a description."""
