"""Defines the reference service as a target, for demonstrations."""

from typing import Any

from brokerfuzz.targets.http_target import HttpTarget

DEMONSTRATION = "the demonstration service"


class DemoTarget(HttpTarget):
    """The reference service as a target.

    `started_by` is a shell command that starts the service, runs the command after `--`, and stops the service.
    `reproduction` puts `started_by` before each curl command. Without it, the curl command would fail, because the
    service stops at the end of the campaign.
    """

    def __init__(self, url: str, *, started_by: str, **options: Any) -> None:
        super().__init__(url, **options)
        self._before_curl = started_by
        self.name = f"{DEMONSTRATION} {self.name}"
