"""The reference service: a service that complies with the contract, and in which bugs can be seeded.

With seeded bugs, the service shows which bugs a testing tool detects. Without bugs, the service shows whether the tool
reports false findings. `app` is the service, `running` starts the service, and `bugs` lists the bugs.
"""
