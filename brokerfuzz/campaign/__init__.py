"""Campaigns: cases fired at a target, what it answered, and what of that contradicts the contract."""

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.findings import Finding, Reason
from brokerfuzz.campaign.firing import Campaign, Options, fire, run, run_sharded
from brokerfuzz.campaign.journal import Journal, Recalled
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.results import Progress, Result, exit_status

__all__ = [
    "Campaign",
    "Finding",
    "FindingKind",
    "Journal",
    "Observed",
    "Options",
    "Progress",
    "Reason",
    "Recalled",
    "Result",
    "exit_status",
    "fire",
    "run",
    "run_sharded",
]
