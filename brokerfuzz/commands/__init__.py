"""Contains one module per command.

A module imports slow libraries only when its command runs, so that `--help` is fast.
"""
