"""Cases: labelled messages, one by one, at random, or as the catalogue."""
