"""Options and keys that are gone, with the ones to use instead."""

from collections.abc import Mapping

_EXCLUDED = "with ! in front of what to exclude"

OPTIONS: Mapping[str, str] = {
    "--time": "use --max-time, as in --max-time 10m",
    "--fail-fast": "use --max-findings 1",
    "--shrink-requests": "use --shrink, as in --shrink 60s or --shrink off",
    "--shrink-time": "use --shrink, as in --shrink 60s or --shrink off",
    "--exclude-rule": f"use --rule {_EXCLUDED}, as in --rule '!*:type'",
    "--exclude-technique": f"use --technique {_EXCLUDED}, as in --technique '!one-below'",
    "--exclude-tag": f"use --tag {_EXCLUDED}, as in --tag '!pairs:*'",
}
"""Option -> the remedy."""

KEYS: Mapping[tuple[str, str], str] = {
    ("campaign", "time"): 'use max-time = "10m"',
    ("campaign", "fail-fast"): "use max-findings = 1",
    ("campaign", "shrink-requests"): 'use shrink = "60s" or shrink = "off"',
    ("campaign", "shrink-time"): 'use shrink = "60s" or shrink = "off"',
    ("cases", "exclude-rules"): f'use rules {_EXCLUDED}, as in rules = ["!*:type"]',
    ("cases", "exclude-techniques"): f'use techniques {_EXCLUDED}, as in techniques = ["!one-below"]',
    ("cases", "exclude-tags"): f'use tags {_EXCLUDED}, as in tags = ["!pairs:*"]',
}
"""Section and key of a configuration -> the remedy."""
