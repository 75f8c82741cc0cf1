"""The command `brokerfuzz`, also available as `python -m brokerfuzz`."""

import signal

if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # during imports there is nothing to clean up, so Ctrl-C ends the process without a traceback

from brokerfuzz.cli import main

if __name__ == "__main__":
    main()
