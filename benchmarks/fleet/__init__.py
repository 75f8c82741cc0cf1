"""A fleet of services with one bug each, called mutants. The fleet measures how many messages are needed to kill (detect) the mutants.

The bugs are changes of the contract, for each rule and each site. So a changed contract gives other bugs. The fleet shares no code
with the generators of messages, so that no generator can be tuned to the bugs by accident.
"""
