"""Defines the outcome of a campaign, which determines the exit status and the first line of every report.

The outcome is `untested` if the answers show nothing about the target (see `Result.why_untested`). Otherwise, it is
`complete` if the campaign sent everything that the user asked for, and `partial` if the campaign ended too early.
"""

from dataclasses import dataclass
from typing import Literal

State = Literal["complete", "partial", "untested"]
StopCause = Literal["contact", "limit", "interrupt", "target", "journal", "hook", "worker", "changed"]


@dataclass(frozen=True)
class Stop:
    """The reason why a campaign stopped before it sent every case.

    The cause is `contact` (the target accepted no plain message), `limit` (a limit that the user set), `interrupt`
    (Ctrl-C), `target` (the target no longer answers), `journal` (the journal cannot be written), `hook` (a hook
    failed), `worker` (a worker was lost), or `changed` (answers differ from those in the journal). `details` is the
    traceback of a failed hook, or the plain message and the answers to it. `advice` recommends an option.
    """

    reason: str
    cause: StopCause
    details: str = ""
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class CampaignOutcome:
    """The outcome of a campaign.

    `reason` says why the campaign is not complete. `status` is the exit status. `headline` is the outcome on one line,
    for example `partial (interrupted): 2 findings in 300 of 5,288 cases, 3 rules unproven`. `new` and `known` are the
    numbers of new and known findings. `unproven` is the number of rules for which every rejection is unproven.
    `unwritten` lists the reports and other files that could not be written.
    """

    state: State
    reason: str
    status: int
    headline: str
    new: int
    known: int
    unproven: int
    unwritten: tuple[str, ...]
