from datetime import UTC, datetime

from brokerfuzz.schemas import MessageType

OFFER: MessageType = "offer-creation-request"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
