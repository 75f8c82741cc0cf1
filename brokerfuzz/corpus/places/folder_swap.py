"""Replaces an existing folder with a finished one, in one step if the operating system supports this."""

import ctypes
import os
import shutil
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

_CURRENT_FOLDER, _EXCHANGE = -100, 2
"""The arguments `AT_FDCWD` and `RENAME_EXCHANGE` of the Linux function `renameat2`."""


def replace_folder(finished: Path, path: Path, aside: Path) -> None:
    """Renames the folder `finished` to `path`. If `path` already exists, Linux exchanges the two names at once. So a
    killed process leaves either the existing folder or the finished one at `path`.

    If the system cannot exchange names, the function first renames the existing folder to `aside`, and then the
    finished one to `path`. If the second step fails, the existing folder gets its name back. Raises `OSError` if
    renaming fails.
    """
    if not os.path.lexists(path):
        finished.replace(path)
    elif not _exchanged(finished, path):
        path.replace(aside)
        try:
            finished.replace(path)
        except BaseException:
            aside.replace(path)
            raise


def _exchanged(one: Path, other: Path) -> bool:
    """Exchanges the names of two folders. Returns False if the operating system or the file system does not support
    this.
    """
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
    return (
        rename is not None
        and rename(_CURRENT_FOLDER, os.fsencode(one), _CURRENT_FOLDER, os.fsencode(other), _EXCHANGE) == 0
    )


def keep_user_files(existing: Path, finished: Path, former: Container[str], below: str = "") -> None:
    """Creates links in the folder `finished` to the files that users added to the folder `existing`. Creates no link if
    `finished` contains a file with the same name.

    `former` contains the files and folders of the old corpus, which users did not add. Raises `OSError` if a file can
    be neither linked nor copied.
    """
    for path in sorted(existing.iterdir()):
        name, target = f"{below}{path.name}", finished / path.name
        if path.is_dir() and not path.is_symlink():
            if os.path.lexists(target) and not target.is_dir():
                raise FileExistsError(
                    0,
                    f"the new corpus contains the file {path}, but you have a folder with this name: move your folder "
                    "elsewhere",
                    str(path),
                )
            if name not in former:
                target.mkdir(parents=True, exist_ok=True)
            keep_user_files(path, target, former, f"{name}/")
        elif name not in former and not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            _link_or_copy(path, target)


def _link_or_copy(path: Path, target: Path) -> None:
    with suppress(OSError):
        os.link(path, target, follow_symlinks=False)
        return
    shutil.copy2(path, target, follow_symlinks=False)
