"""How figures are written, in the table and in the picture."""

from math import floor, log10


def share(part: float) -> str:
    """In percent; what is not quite nothing or all does not look like it."""
    percent = 100 * part
    return f"{percent:.0f} %" if percent in (0, 100) else f"{min(max(percent, 0.1), 99.9):.1f} %"


def rounded(value: float) -> str:
    """To three digits: more would not come again."""
    if value <= 0:
        return "0"
    digits = 2 - floor(log10(value))
    return f"{round(value, digits):,.{max(digits, 0)}f}"
