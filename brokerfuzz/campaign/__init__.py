"""Campaigns: cases fired at a target, what it answered, and what of that contradicts the contract."""

from brokerfuzz.campaign.answers import Answer, AnswerKind, AnswerRules, status_patterns
from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.findings import Finding, Reason
from brokerfuzz.campaign.firing import Campaign, Options, fire
from brokerfuzz.campaign.http_target import HttpTarget
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.results import Progress, Result, exit_status
from brokerfuzz.campaign.targets import Target

__all__ = [
    "Answer",
    "AnswerKind",
    "AnswerRules",
    "Campaign",
    "Finding",
    "FindingKind",
    "HttpTarget",
    "Observed",
    "Options",
    "Progress",
    "Reason",
    "Result",
    "Target",
    "exit_status",
    "fire",
    "status_patterns",
]
