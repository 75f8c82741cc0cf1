"""Creates file names for cases. A name shows the topic of the case (for example, the broken rule), and is safe on every
file system.

A name depends only on its case, and not on other cases in the corpus.
"""

import re

from brokerfuzz.cases.case import Case

_LONGEST_TOPIC = 70
_RULE = re.compile(r"[^/]+/(.*?):([\w$-]+)(?:@.*)?")
"""Matches the ID of a rule: message type, site, keyword and condition."""
_UNTITLED_TAGS = ("now:", "at:", "in:", "under:")
"""The prefixes of tags that are not part of the topic, because they only describe a place, a time or a condition."""


def stem(case: Case) -> str:
    """Returns the file name of a case without its suffix: `order-minimum_minimum_one-below_19da04d30a1b2c3d`.

    The name consists of the topic and the ID. If the topic is too long, its beginning is removed.
    """
    topic = topic_of(case)[-_LONGEST_TOPIC:].lstrip("._-")
    return "_".join(filter(None, (topic, case.id)))


def topic_of(case: Case) -> str:
    """Returns what a case tests (its topic), in lower-case letters.

    The topic of an invalid case is its site, its keyword and its technique. The topic of any other case consists of its
    tags, or of its ambiguities if it has no tags.
    """
    if case.faults:
        first = case.faults[0]
        parts = _RULE.fullmatch(first.rule)
        site, keyword = parts.groups() if parts else (first.rule, "")
        words = [site or "message", keyword, first.technique, *(["and-more"] if len(case.faults) > 1 else [])]
    else:
        tags = [
            tag.removeprefix("probe:").removeprefix("as:").removeprefix("edge:")
            for tag in case.tags
            if not tag.startswith(_UNTITLED_TAGS)
        ]
        words = tags or list(dict.fromkeys(touch.ambiguity for touch in case.verdict.ambiguities))
    return "_".join(filter(None, map(_plain, words)))


def _plain(text: str) -> str:
    """Converts a site or a tag for a file name: `productClusters[].id` becomes `product-clusters.id`."""
    small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower().replace("[]", "")
    return re.sub(r"[-.]*\.[-.]*", ".", re.sub(r"[^a-z0-9.]+", "-", small)).strip("-.")
