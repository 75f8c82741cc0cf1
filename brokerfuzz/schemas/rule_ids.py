"""Creates the IDs of rules, and splits them into their parts."""

from functools import cache
from typing import NamedTuple


class RuleId(NamedTuple):
    """The parts of an ID such as `offer-creation-request/productClusters[].products[].pageCount:minimum`. If the rule
    has a condition, its label follows after `@`.
    """

    message_type: str
    site: str
    keyword: str
    condition: str = ""

    def __str__(self) -> str:
        return f"{self.message_type}/{self.site}:{self.keyword_with_condition}"

    @property
    def keyword_with_condition(self) -> str:
        return f"{self.keyword}@{self.condition}" if self.condition else self.keyword


@cache
def parts_of_id(rule: str) -> RuleId:
    """The rule of an ambiguity, such as `ambiguity/cron-syntax`, has no site, and its keyword is the ambiguity."""
    message_type, _, rest = rule.partition("/")
    site, _, keyword_with_condition = rest.rpartition(":")
    keyword, _, condition = keyword_with_condition.partition("@")
    return RuleId(message_type, site, keyword, condition)


def short_id(rule: str) -> str:
    """Returns the ID without the message type."""
    return rule.partition("/")[2]
