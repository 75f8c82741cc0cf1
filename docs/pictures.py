"""Makes the pictures of the documents from a campaign against the lax service in `examples/services`.

`python docs/pictures.py` needs Chromium, and takes about half a minute.
"""

import io
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
IMAGES = Path(__file__).parent / "images"
URL = "http://127.0.0.1:8000/offers"
LINES, COLUMNS = 24, 80
CHROMIUM = ["chromium-headless-shell", "--no-sandbox", "--hide-scrollbars", "--window-size=1000,900"]


def screen(command: list[str], folder: Path) -> str:
    """Returns the last output of a command in a terminal, with its colours."""
    own = {**os.environ, "COLUMNS": str(COLUMNS), "LINES": str(LINES), "TERM": "xterm-256color"}
    own.pop("NO_COLOR", None)
    parent, child = pty.openpty()
    with subprocess.Popen(command, cwd=folder, env=own, stdout=child, stderr=subprocess.DEVNULL) as process:
        os.close(child)
        printed = b""
        while part := _read(parent):
            printed += part
        process.wait()
    os.close(parent)
    return printed.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux reports the end of a terminal in this way
        return b""


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    beside = Path(sys.executable).parent
    serve = [str(beside / "uvicorn"), "lax_fastapi:app", "--log-level", "critical"]
    fire = [str(beside / "brokerfuzz"), "fire", URL]
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(serve, cwd=ROOT / "examples" / "services") as server:
        page = Path(folder) / "report.html"
        printed = screen([*fire, "--report", str(page)], Path(folder))
        server.terminate()
        shown = "\n".join([f"$ brokerfuzz fire {URL}", *printed.splitlines()[: LINES - 1]])
        console = Console(record=True, width=COLUMNS, file=io.StringIO())
        console.print(Text.from_ansi(shown))
        console.save_svg(str(IMAGES / "first-screen.svg"), title="brokerfuzz")
        picture = f"--screenshot={IMAGES / 'report.png'}"
        subprocess.run([*CHROMIUM, picture, page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main()
