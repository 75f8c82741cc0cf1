"""Runs campaigns: brokerfuzz sends cases to a target, records the answers, and reports the answers that contradict the
contract.
"""

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.firing import Campaign
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.outcome import CampaignOutcome, Stop
from brokerfuzz.campaign.results import CampaignProgress, Result
from brokerfuzz.campaign.running import fire, fire_here
from brokerfuzz.campaign.settings import Settings

__all__ = [
    "Campaign",
    "CampaignOutcome",
    "CampaignProgress",
    "Finding",
    "FindingKind",
    "Observed",
    "Result",
    "Settings",
    "Stop",
    "fire",
    "fire_here",
]
