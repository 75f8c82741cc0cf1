"""Runs campaigns: brokerfuzz sends cases to a target, records the answers, and reports the answers that contradict the
contract.
"""

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.findings import BrokenRule, Finding
from brokerfuzz.campaign.firing import Campaign, fire, run, run_sharded
from brokerfuzz.campaign.headlines import Headline
from brokerfuzz.campaign.journal import Journal, Recalled
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.options import Options
from brokerfuzz.campaign.outcome import CampaignOutcome, Stop
from brokerfuzz.campaign.results import CampaignProgress, Result

__all__ = [
    "BrokenRule",
    "Campaign",
    "CampaignOutcome",
    "CampaignProgress",
    "Finding",
    "FindingKind",
    "Headline",
    "Journal",
    "Observed",
    "Options",
    "Recalled",
    "Result",
    "Stop",
    "fire",
    "run",
    "run_sharded",
]
