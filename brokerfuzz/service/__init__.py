"""The reference service: a service that keeps the contract, and the same service with bugs seeded into it.

`app` is the service, `running` starts it, `bugs` lists what can be seeded. A tool that finds faults shows its worth on
faults that are known, and its manners on a service that has none.
"""
