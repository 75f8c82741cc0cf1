"""The reference service: a service that conforms to the contract, and optionally has seeded bugs.

`app` is the service, `running` starts it, `bugs` lists the bugs. Seeded bugs show what a testing tool finds; the service without
bugs shows whether it reports false findings.
"""
