"""The commands, one per module. A module imports nothing slow until its command runs: see `cli`."""
