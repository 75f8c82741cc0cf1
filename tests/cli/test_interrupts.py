import signal
from contextlib import suppress

import pytest

from brokerfuzz.commands.progress import ProgressLine


def _press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_a_swallowed_interrupt_is_raised_at_the_next_progress() -> None:
    with ProgressLine() as progress:
        progress(1)
        with suppress(KeyboardInterrupt):
            _press()
        with pytest.raises(KeyboardInterrupt):
            progress(2)


def test_the_former_handler_of_ctrl_c_is_restored() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ProgressLine():
        assert signal.getsignal(signal.SIGINT) != before
        with pytest.raises(KeyboardInterrupt):
            _press()
    assert signal.getsignal(signal.SIGINT) == before


def test_another_handler_of_ctrl_c_is_not_replaced() -> None:
    pressed = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        with ProgressLine() as progress:
            _press()
            progress(1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed == [signal.SIGINT]
