"""The names of message types and verdicts, which are needed before the contract is imported."""

from typing import Literal, get_args

MessageType = Literal["offer-creation-request", "product-list-response", "offer-pricing-response"]
MESSAGE_TYPES: tuple[MessageType, ...] = get_args(MessageType)

Label = Literal["valid", "invalid", "unspecified"]
LABELS: tuple[Label, ...] = get_args(Label)
