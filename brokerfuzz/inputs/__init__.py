"""Reads messages from files, corpora and recorded traffic, and recognises their types."""
