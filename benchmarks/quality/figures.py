from collections.abc import Iterator, Mapping

Value = int | float | str
Figures = dict[str, dict[str, Value]]
"""Maps the name of a measurement to its values. The key of a value says what the value means."""


def table(figures: Mapping[str, Mapping[str, Value]]) -> str:
    width = max(map(len, figures))
    return "\n".join(f"{name:<{width}}  {', '.join(_words(values))}" for name, values in figures.items())


def _words(values: Mapping[str, Value]) -> Iterator[str]:
    for name, value in values.items():
        number = value if isinstance(value, str) else f"{value:.3g}" if isinstance(value, float) else f"{value:,}"
        yield f"{name} {number}"
