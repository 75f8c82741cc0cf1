"""The exit statuses of all commands, apart from 0."""

from typing import Final

FOUND: Final = 1
"""There are findings, invalid messages or differences."""
FAILED: Final = 2
"""The usage or the environment is wrong, a campaign is not complete, or a file was not written."""
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
