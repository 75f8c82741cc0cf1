"""Contains one module per command.

A module imports slow libraries only when its command runs, so that `--help` is fast. `fire` has a second
module for this.
"""
