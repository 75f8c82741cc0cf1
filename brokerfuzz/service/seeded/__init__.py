"""The seeded bugs, one module per kind. Each bug is a flaw with parameters and a description."""
