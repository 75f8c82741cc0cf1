"""Defines the outcome of a campaign, which determines the exit status and the first line of every report.

The outcome is `untested` if the answers show nothing about the target (see `Result.why_untested`). Otherwise, it is
`complete` if the campaign sent everything that the user asked for, and `partial` if the campaign ended too early.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from brokerfuzz.wording import counted

State = Literal["complete", "partial", "untested"]
StopCause = Literal["contact", "limit", "interrupt", "target", "journal", "hook"]

FOUND, NOT_TESTED, INTERRUPTED = 1, 2, 130
"""The exit statuses for new findings, for a campaign that is not complete (or a report that was not written), and for
Ctrl-C.
"""


@dataclass(frozen=True)
class Stop:
    """The reason why a campaign stopped before it sent every case.

    The cause is `contact` (the target accepted no plain message), `limit` (a limit that the user set), `interrupt`
    (Ctrl-C), `target` (the target no longer answers), `journal` (the journal cannot be written), or `hook` (a hook
    failed). `details` is the traceback of a failed hook, or the plain message and the answers to it. `advice`
    recommends an option.
    """

    reason: str
    cause: StopCause
    details: str = ""
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class CampaignOutcome:
    """The outcome of a campaign.

    `sent` says how many cases were sent, for example `16 of 5,288 cases (the time limit of 1 s was reached)`. `reason`
    says why the campaign is not complete. `new` and `known` are the numbers of new and known findings. `headlines` is
    the number of headlines with new findings. `unproven` is the number of rules for which every rejection is unproven.
    `unwritten` lists the reports and other files that could not be written. `advice` recommends an option: for example
    `--values`, if the target probably knows only certain values of a property.
    """

    state: State
    sent: str = ""
    reason: str = ""
    new: int = 0
    known: int = 0
    headlines: int = 0
    unproven: int = 0
    interrupted: bool = False
    unwritten: tuple[str, ...] = ()
    advice: str = ""

    @property
    def status(self) -> int:
        if self.interrupted:
            return INTERRUPTED
        if self.new:
            return FOUND
        return NOT_TESTED if self.state != "complete" or self.unwritten else 0

    @property
    def headline(self) -> str:
        """The outcome on one line, for example `partial (interrupted): 2 findings in 300 of 5,288 cases, 3 rules
        unproven`.
        """
        state = "" if self.state == "complete" else f"{self.state} ({self.reason}): "
        return state + ", ".join(self._numbers()) + (f" ({self.advice})" if self.advice else "")

    def _numbers(self) -> Iterator[str]:
        beside = f" ({self.known:,} known)" if self.known else ""
        new = "new " if self.known else ""
        among = f" in {self.sent}" if self.sent else ""
        under = f" under {counted(self.headlines, 'headline')}" if self.headlines < self.new else ""
        yield (counted(self.new, f"{new}finding") if self.new else f"no {new}findings") + under + beside + among
        if self.unproven:
            yield f"{counted(self.unproven, 'rule')} unproven"
        if self.unwritten:
            yield f"{counted(len(self.unwritten), 'file')} not written"
