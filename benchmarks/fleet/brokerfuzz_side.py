from collections.abc import Sequence
from datetime import datetime

from benchmarks.fleet.messages import OFFER
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue


def cases(now: datetime) -> Sequence[Case]:
    return list(catalogue(OFFER, now=now))
