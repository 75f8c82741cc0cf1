"""Commands pass their parameters on as typed values, each to the value that has a field for it."""

from dataclasses import fields
from inspect import signature

import click
import pytest

from brokerfuzz.commands import catalogue, export, fire, replay
from brokerfuzz.commands.corpus import show
from brokerfuzz.commands.option_values import CampaignOptions, CaseFilters, CaseOptions, ResultOptions, SendingOptions, TargetOptions, gathered

GATHERED: list[tuple[click.Command, list[type]]] = [
    (fire.command, [TargetOptions, SendingOptions, CaseOptions, CampaignOptions, ResultOptions]),
    (replay.command, [TargetOptions, SendingOptions]),
    (export.command, [CaseOptions]),
    (catalogue.command, [CaseFilters]),
    (show.command, [CaseFilters]),
]


@pytest.mark.parametrize(("command", "kinds"), GATHERED)
def test_every_parameter_has_one_place(command: click.Command, kinds: list[type]) -> None:
    assert command.callback is not None
    params = {param.name for param in command.params if param.expose_value}
    optional = {"url", "bugs"}  # `replay` finds its URL among its sources, and seeds no bugs
    inside = [field.name for kind in kinds for field in fields(kind)]
    assert len(inside) == len(set(inside))
    assert set(inside) - params <= optional
    said = {name for name, param in signature(command.callback).parameters.items() if param.annotation not in kinds}
    assert params - set(inside) == said


def test_what_is_gathered_is_not_passed_on_by_itself() -> None:
    @gathered(sending=SendingOptions)
    def command(sending: SendingOptions, seed: int) -> tuple[SendingOptions, int]:
        return sending, seed

    assert command(concurrency=2, rate=None, fresh="number", seed=7) == (SendingOptions(concurrency=2, rate=None, fresh="number"), 7)
    with pytest.raises(TypeError, match="fresh"):
        command(concurrency=2, rate=None, seed=7)
