"""The bugs themselves, a module a sort: each is a flaw with its parameters, and a sentence."""
