"""Measures the examples that a strategy gives to a test: which rules they break, how varied they are, how they shrink, and which bugs they find."""
