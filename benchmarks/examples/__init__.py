"""Measures what a test sees in its examples: which rules they break, how varied they are, how they shrink, and which bugs they find."""
