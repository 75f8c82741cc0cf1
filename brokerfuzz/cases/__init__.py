"""Cases: labelled messages, single, random or in the catalogue."""
