"""The fleet consists of services with one bug each, which are called mutants. A benchmark that counts how many of them
give a wrong answer to some message says how much these messages test.

The bugs are derived from the rules and sites of the contract and from tables of typical mistakes, so a changed contract
gives other bugs. The fleet shares no code with the generators of messages, so that no generator can be tuned to the
bugs by accident.
"""
