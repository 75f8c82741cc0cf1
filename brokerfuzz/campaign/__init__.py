"""Runs campaigns: brokerfuzz sends cases to a target, records the answers, and reports the answers that contradict the contract."""

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.findings import BrokenRule, Finding
from brokerfuzz.campaign.firing import Campaign, Options, fire, run, run_sharded
from brokerfuzz.campaign.journal import Journal, Recalled
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.results import CampaignProgress, Result, exit_status

__all__ = [
    "BrokenRule",
    "Campaign",
    "CampaignProgress",
    "Finding",
    "FindingKind",
    "Journal",
    "Observed",
    "Options",
    "Recalled",
    "Result",
    "exit_status",
    "fire",
    "run",
    "run_sharded",
]
