"""The commands, one a module. They import click and `options` alone until one runs: see `cli`."""
