"""The reference service: a service that conforms to the contract. You can seed bugs in it.

`app` is the service, `running` starts it, and `bugs` lists the bugs. The service with seeded bugs shows which bugs a testing tool
finds. The service without bugs shows whether the tool reports false findings.
"""
