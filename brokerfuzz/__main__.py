"""The `brokerfuzz` command, which `python -m brokerfuzz` is too."""

import signal

if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is begun while modules are imported: Ctrl-C ends that without a traceback

from brokerfuzz.cli import main

if __name__ == "__main__":
    main()
