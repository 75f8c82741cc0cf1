"""Ctrl-C that something drops, as a validator does that is interrupted while it reads a large number."""

import signal
from contextlib import suppress

import pytest

from brokerfuzz.commands.progress import ProgressLine


def _press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_what_was_dropped_is_raised_where_a_command_goes_on() -> None:
    with ProgressLine() as progress:
        progress(1)
        with suppress(KeyboardInterrupt):
            _press()
        with pytest.raises(KeyboardInterrupt):
            progress(2)


def test_afterwards_ctrl_c_is_what_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ProgressLine():
        assert signal.getsignal(signal.SIGINT) != before
        with pytest.raises(KeyboardInterrupt):
            _press()
    assert signal.getsignal(signal.SIGINT) == before


def test_who_handles_ctrl_c_otherwise_goes_on_with_it() -> None:
    pressed = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        with ProgressLine() as progress:
            _press()
            progress(1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed == [signal.SIGINT]
