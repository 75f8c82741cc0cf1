"""Lists the options, settings and properties that were removed or renamed, with their replacements."""

from collections.abc import Mapping
from typing import Any

_EXCLUDED = "with ! before the name to exclude"

OPTIONS: Mapping[str, str] = {
    "--time": "use --max-time, as in --max-time 10m",
    "--fail-fast": "use --max-findings 1",
    "--shrink-requests": "use --shrink, as in --shrink 60s or --shrink off",
    "--shrink-time": "use --shrink, as in --shrink 60s or --shrink off",
    "--exclude-rule": f"use --rule {_EXCLUDED}, as in --rule '!*:type'",
    "--exclude-technique": f"use --technique {_EXCLUDED}, as in --technique '!one-below'",
    "--exclude-tag": f"use --tag {_EXCLUDED}, as in --tag '!pairs:*'",
    "--minimal": "export writes the smallest cases by default, and --full writes the whole catalogue",
    "--silences": "use --ambiguities",
    "--stance": "use --policy, as in --policy cron-syntax=accepted",
}
"""Maps each removed option to advice about its replacement."""

SECTIONS: Mapping[str, str] = {"stances": "use [policies]"}
"""Maps each removed section of a configuration to advice about its replacement."""

KEYS: Mapping[tuple[str, str], str] = {
    ("cases", "minimal"): 'use tags or other filters, as in tags = ["in:bare"]',
    ("campaign", "time"): 'use max-time = "10m"',
    ("campaign", "fail-fast"): "use max-findings = 1",
    ("campaign", "shrink-requests"): 'use shrink = "60s" or shrink = "off"',
    ("campaign", "shrink-time"): 'use shrink = "60s" or shrink = "off"',
    ("cases", "exclude-rules"): f'use rules {_EXCLUDED}, as in rules = ["!*:type"]',
    ("cases", "exclude-techniques"): f'use techniques {_EXCLUDED}, as in techniques = ["!one-below"]',
    ("cases", "exclude-tags"): f'use tags {_EXCLUDED}, as in tags = ["!pairs:*"]',
}
"""Maps each removed setting to advice about its replacement."""

PROPERTIES: Mapping[str, str] = {
    "silences": "ambiguities",
    "silence": "ambiguity",
    "stances": "policies",
    "leaning": "behaviour",
}
"""Maps each former property of corpora, journals and reports to its new name."""


def renamed_property(document: Any) -> str | None:
    """If a JSON object has a property with an outdated name, returns a text with the outdated and the new name. Otherwise, returns None."""
    former = next((name for name in PROPERTIES if isinstance(document, Mapping) and name in document), None)
    return None if former is None else f"uses the former property `{former}`, which is now `{PROPERTIES[former]}`"
