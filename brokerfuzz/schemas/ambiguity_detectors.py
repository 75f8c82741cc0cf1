"""Names the detectors of ambiguities that concern all values, the bytes of a message, or the time. The detectors of
ambiguities at certain sites are classes in `questions`.
"""

from brokerfuzz.schemas.json_reader import LONE_SURROGATES, MEANINGS, NUL_CHARACTERS, OF_BYTES
from brokerfuzz.schemas.questions import KINDS

NEAR_NOW = "near_now"
MESSAGE_SIZE = "message_size"
DETECTORS = frozenset(
    [
        *KINDS, *MEANINGS, *OF_BYTES, LONE_SURROGATES, NUL_CHARACTERS, NEAR_NOW, "integer_form", MESSAGE_SIZE,
        "string_length", "item_count",
    ]
)  # fmt: skip
"""The names of detectors that `ambiguities.json` can use."""
OF_LIMITS = ("string_length", "item_count", MESSAGE_SIZE)
"""The detectors that need a `limit`."""
REJECTED = "rejected"
"""The name of the interpretation in which every message that touches the ambiguity is invalid."""
