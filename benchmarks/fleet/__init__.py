"""A fleet of services that carry one bug each, and how fast a list of messages tells them apart from the conforming one.

The bugs are made by mutating the contract, rule by rule and site by site, so that they follow a changed contract. They share no code with
what generates messages: a generator cannot be good at them because it knows them.
"""
