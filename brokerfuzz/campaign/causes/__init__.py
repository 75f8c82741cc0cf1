"""Explains the wrong answers of a campaign: one finding for each cause."""
