"""Names of files for cases: they sort as the corpus does, say what the case is about, and are safe on every file system."""

import re
from collections import Counter
from collections.abc import Hashable

from brokerfuzz.cases.case import Case

_LONGEST_TOPIC = 70
_RULE = re.compile(r"[^/]+/(.*?):([\w$-]+)(?:@.*)?")
"""A rule's id: the message type, the site, the keyword, the condition."""
_UNTITLED_TAGS = ("now:", "at:", "in:", "under:")
"""Tags that say where and when, not what about."""


class Numbers:
    """Counts the cases of each folder, from 1."""

    def __init__(self) -> None:
        self._counts: Counter[Hashable] = Counter()

    def next(self, folder: Hashable) -> str:
        """The number of the next case of a folder, in seven digits: as text, numbers sort as they count."""
        self._counts[folder] += 1
        return f"{self._counts[folder]:07}"


def stem(number: str, case: Case) -> str:
    """The name of a case's file, without its suffix: `0000042_order-minimum_minimum_one-below_19da04d3`.

    It consists of the number, what the case is about, and eight digits of its id. What is too long loses its beginning.
    """
    topic = topic_of(case)[-_LONGEST_TOPIC:].lstrip("._-")
    return "_".join(filter(None, (number, topic, case.id[:8])))


def topic_of(case: Case) -> str:
    """What a case is about, in small letters: a fault's site, keyword and technique; else the tags, or the ambiguities that it touches."""
    if case.faults:
        first = case.faults[0]
        parts = _RULE.fullmatch(first.rule)
        site, keyword = parts.groups() if parts else (first.rule, "")
        words = [site or "message", keyword, first.technique, *(["and-more"] if len(case.faults) > 1 else [])]
    else:
        tags = [tag.removeprefix("probe:").removeprefix("as:") for tag in case.tags if not tag.startswith(_UNTITLED_TAGS)]
        words = tags or list(dict.fromkeys(touch.ambiguity for touch in case.verdict.ambiguities))
    return "_".join(filter(None, map(_plain, words)))


def _plain(text: str) -> str:
    """`productClusters[].id` becomes `product-clusters.id`."""
    small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower().replace("[]", "")
    return re.sub(r"[-.]*\.[-.]*", ".", re.sub(r"[^a-z0-9.]+", "-", small)).strip("-.")
