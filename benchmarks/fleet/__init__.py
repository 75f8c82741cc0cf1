"""A fleet of services with one bug each. It measures how fast a list of messages kills (detects) the bugs.

The bugs are mutations of the contract, for each rule and each site, so they adapt to a changed contract. They share no code with
the generators of messages, so that no generator can be tuned to them by accident.
"""
