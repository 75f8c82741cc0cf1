"""Defines the target for the reference service, which brokerfuzz starts itself."""

from typing import Any

from brokerfuzz.targets.http_target import HttpTarget

DEMONSTRATION = "the demonstration service"
"""The beginning of the name of the target."""


class DemonstrationTarget(HttpTarget):
    """The reference service. `options` are those of `HttpTarget`.

    `started_by` is a shell command that starts the service, runs the command after `--`, and stops the service.
    `reproduction` puts it before each curl command, because the service of a campaign stops at its end.
    """

    def __init__(self, url: str, *, started_by: str, **options: Any) -> None:
        super().__init__(url, **options)
        self.name = f"{DEMONSTRATION} {self.name}"
        self.before_curl = started_by
