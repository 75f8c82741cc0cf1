"""The fleet consists of services with one bug each, which are called mutants. The benchmark measures how many messages
are needed to kill (detect) the mutants.

The bugs are derived from the rules and sites of the contract, so a changed contract gives other bugs. The fleet shares
no code with the generators of messages, so that no generator can be tuned to the bugs by accident.
"""
