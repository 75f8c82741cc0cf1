"""File names for cases. Sorting the names gives the order of the corpus. A name shows the topic of the case and is safe on every file system."""

import re
from collections import Counter
from collections.abc import Hashable

from brokerfuzz.cases.case import Case

_LONGEST_TOPIC = 70
_RULE = re.compile(r"[^/]+/(.*?):([\w$-]+)(?:@.*)?")
"""A rule ID: message type, site, keyword and condition."""
_UNTITLED_TAGS = ("now:", "at:", "in:", "under:")
"""The prefixes of tags that describe a place or a time. Such tags are not part of the topic."""


class Numbers:
    """A counter of the cases in each folder. The first number is 1."""

    def __init__(self) -> None:
        self._counts: Counter[Hashable] = Counter()

    def next(self, folder: Hashable) -> str:
        """Returns the number of the next case in a folder, with seven digits so that names sort in numeric order."""
        self._counts[folder] += 1
        return f"{self._counts[folder]:07}"


def stem(number: str, case: Case) -> str:
    """Returns the file name of a case without its suffix: `0000042_order-minimum_minimum_one-below_19da04d3`.

    The name consists of the number, the topic of the case, and the first eight digits of the case's ID. If the topic is too long,
    its beginning is removed.
    """
    topic = topic_of(case)[-_LONGEST_TOPIC:].lstrip("._-")
    return "_".join(filter(None, (number, topic, case.id[:8])))


def topic_of(case: Case) -> str:
    """Returns the topic of a case in lower case. The topic of a fault is its site, keyword and technique. The topic of any other
    case is its tags or its ambiguities.
    """
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
    """Returns a site or a tag in the spelling of file names: `productClusters[].id` becomes `product-clusters.id`."""
    small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower().replace("[]", "")
    return re.sub(r"[-.]*\.[-.]*", ".", re.sub(r"[^a-z0-9.]+", "-", small)).strip("-.")
