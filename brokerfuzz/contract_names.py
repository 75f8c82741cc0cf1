"""The names of message types and verdicts. Some modules need these names before they import the contract."""

from typing import Literal, get_args

MessageType = Literal["offer-creation-request", "product-list-response", "offer-pricing-response"]
MESSAGE_TYPES: tuple[MessageType, ...] = get_args(MessageType)

Label = Literal["valid", "invalid", "unspecified"]
LABELS: tuple[Label, ...] = get_args(Label)
