# ruff: noqa
# fmt: off
from itertools import islice

from brokerfuzz import catalogue, messages

offers = list(islice(messages("offer-creation-request", seed=1), 1000))
cases = list(islice(messages("offer-creation-request", seed=1, verdicts=["invalid"]), 1000))
every_rule = list(catalogue("offer-pricing-response"))
