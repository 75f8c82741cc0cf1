"""The reference service: a service that conforms to the contract. You can seed bugs in it.

`app` is the service, `running` starts it, and `bugs` lists the bugs. With seeded bugs, the service shows which bugs a testing tool
finds. Without bugs, it shows whether the tool reports false findings.
"""
