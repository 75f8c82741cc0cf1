"""The version of brokerfuzz, in a module without imports."""

__version__ = "0.1.0"
