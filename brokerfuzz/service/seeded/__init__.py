"""The bugs that can be seeded, one module per kind. Each bug has a flaw with its parameters, and a description."""
