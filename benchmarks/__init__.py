"""Compares the speed of brokerfuzz with that of other programs. All speeds of a comparison are measured in one run."""
