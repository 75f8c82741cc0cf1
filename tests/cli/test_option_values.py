from dataclasses import fields
from inspect import signature

import click
import pytest

from brokerfuzz.commands import catalogue, export, fire, replay
from brokerfuzz.commands.corpus import show
from brokerfuzz.commands.option_values import (
    CampaignOptions,
    CaseFilters,
    CaseOptions,
    ResultOptions,
    SendingOptions,
    TargetOptions,
    typed_options,
)

GATHERED: list[tuple[click.Command, list[type]]] = [
    (fire.command, [TargetOptions, SendingOptions, CaseOptions, CampaignOptions, ResultOptions]),
    (replay.command, [TargetOptions, SendingOptions]),
    (export.command, [CaseOptions]),
    (catalogue.command, [CaseFilters]),
    (show.command, [CaseFilters]),
]


@pytest.mark.parametrize(("command", "kinds"), GATHERED)
def test_every_parameter_belongs_to_one_value(command: click.Command, kinds: list[type]) -> None:
    assert command.callback is not None
    params = {param.name for param in command.params if param.expose_value}
    optional = {
        "url",
        "campaign_id",
    }  # `replay` takes its URL from its sources, and a resumed campaign has the ID in its journal
    inside = [field.name for kind in kinds for field in fields(kind)]
    assert len(inside) == len(set(inside))
    assert set(inside) - params <= optional
    said = {name for name, param in signature(command.callback).parameters.items() if param.annotation not in kinds}
    assert params - set(inside) == said


def test_parameters_in_a_typed_value_are_not_passed_separately() -> None:
    @typed_options(sending=SendingOptions)
    def command(sending: SendingOptions, seed: int) -> tuple[SendingOptions, int]:
        return sending, seed

    assert command(concurrency=2, rate=None, fresh="number", seed=7) == (
        SendingOptions(concurrency=2, rate=None, fresh="number"),
        7,
    )
    with pytest.raises(TypeError, match="fresh"):
        command(concurrency=2, rate=None, seed=7)
