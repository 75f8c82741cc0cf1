"""Runs campaigns: brokerfuzz sends cases to a target, records the answers, and reports the answers that contradict the
contract.
"""

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.firing import Campaign, run_campaign, run_campaign_here
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.results import CampaignOutcome, CampaignProgress, Result, Stop
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
    "run_campaign",
    "run_campaign_here",
]
