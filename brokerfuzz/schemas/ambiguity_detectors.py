"""Names the detectors of ambiguities that concern all values, the bytes of a message, or the time. The detectors of
ambiguities at certain sites are classes in `questions`.
"""

from brokerfuzz.schemas.interpretations import MEANINGS
from brokerfuzz.schemas.questions import KINDS

NEAR_NOW = "near_now"
BYTE_ORDER_MARK, UTF_16, UTF_32 = "byte_order_mark", "utf_16", "utf_32"
SURROGATES_IN_UTF_8, OVERLONG_UTF_8, NOT_UTF_8 = "surrogates_in_utf_8", "overlong_utf_8", "not_utf_8"
MESSAGE_SIZE = "message_size"
DETECTORS = frozenset(
    [
        *KINDS, NEAR_NOW, "integer_form", *MEANINGS, "lone_surrogates", "nul_characters", BYTE_ORDER_MARK, UTF_16,
        UTF_32, SURROGATES_IN_UTF_8, OVERLONG_UTF_8, NOT_UTF_8, MESSAGE_SIZE, "string_length", "item_count",
    ]
)  # fmt: skip
"""The names of detectors that `ambiguities.json` can use."""
OF_LIMITS = ("string_length", "item_count", MESSAGE_SIZE)
"""The detectors that need a `limit`."""
REJECTED = "rejected"
"""The name of the interpretation in which every message that touches the ambiguity is invalid."""
