"""Starts brokerfuzz with `python -m brokerfuzz`."""

import signal

if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # ends the process without a traceback if Ctrl-C is pressed during the imports

from brokerfuzz.cli import main

if __name__ == "__main__":
    main()
