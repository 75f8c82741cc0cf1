"""The question by how much the clocks of two programs may differ."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.questions.question import Probes, Question
from brokerfuzz.wording import counted

LONGEST_TOLERANCE = 86_400
"""The highest possible clock tolerance, in seconds."""
_AHEAD = {f"in-{counted(seconds, 'second').replace(' ', '-')}": seconds for seconds in (1, 45, 90, 290)}
_SECONDS = {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0, "maximum": LONGEST_TOLERANCE}}


class NearNow(Question, kind="near_now"):
    """A time in the near future, where times in the future are forbidden. The interpretations are numbers of seconds.
    The check of the rule `not-in-future` finds such times.
    """

    python_types = ()
    interpretations_schema: ClassVar = {"type": "object", "required": ["seconds"], "properties": {"seconds": _SECONDS}}
    candidates = ("0", "30", "60", "120", "300")
    can_be_drawn = False
    timed = tuple(_AHEAD)

    def probes(self, value: Any, now: datetime | None) -> Probes:
        """A program usually accepts times up to one of the `candidates` ahead of its clock. Each of these times is
        between two of them.
        """
        if now is not None:
            yield from ((name, spell(now + timedelta(seconds=seconds))) for name, seconds in _AHEAD.items())

    @classmethod
    def choices(cls, interpretations: Sequence[str]) -> str:
        return f"a number of seconds from 0 to {LONGEST_TOLERANCE:,}"

    @classmethod
    def has(cls, interpretation: str, interpretations: Sequence[str]) -> bool:
        return re.fullmatch("[0-9]{1,9}", interpretation) is not None and int(interpretation) <= LONGEST_TOLERANCE
