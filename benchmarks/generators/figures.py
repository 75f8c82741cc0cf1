from math import floor, log10


def share(part: float) -> str:
    """Returns 0 % or 100 % only if the share is exactly 0 or 1."""
    percent = 100 * part
    return f"{percent:.0f} %" if percent in (0, 100) else f"{min(max(percent, 0.1), 99.9):.1f} %"


def rounded(value: float) -> str:
    """Returns three significant digits, because further digits are not reproducible."""
    if value <= 0:
        return "0"
    digits = 2 - floor(log10(value))
    return f"{round(value, digits):,.{max(digits, 0)}f}"
