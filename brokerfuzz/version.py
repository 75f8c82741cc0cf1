"""The version, alone: whoever says it needs nothing else."""

__version__ = "0.1.0"
