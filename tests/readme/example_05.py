# ruff: noqa
# fmt: off
from brokerfuzz.corpus import load

below = load("offer-creation-request", rules=["*:minimum"], verdicts=["invalid"])
