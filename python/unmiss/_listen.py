"""What long work says: a bar on standard error, warnings as warnings."""

from __future__ import annotations

import shutil
import sys
import time
import warnings


class UnmissWarning(UserWarning):
    """Something that may change what you do."""


class Listener:
    """Hears what the library tells. A bar is one line that is written over, on terminals and in notebooks alike."""

    def __init__(self, verbose: int = 0):
        self.verbose = bool(verbose)
        self._task = ""
        self._began = 0.0
        self._drawn = 0.0
        self._width = 0

    def progress(self, task: str, done: int, total: int, detail: str) -> None:
        """Draws the bar, ten times a second at most."""
        now = time.monotonic()
        if task != self._task:
            self._task, self._began = task, now
        elif now - self._drawn < 0.1 and done < total:
            return
        self._drawn = now
        share = done / total if total else 0.0
        filled = round(24 * share)
        left = (now - self._began) * (1.0 - share) / share if share > 0.0 else 0.0
        line = f"{task} [{'=' * filled}{' ' * (24 - filled)}] {done}/{total}, {_duration(left)} left  {detail}"
        self._write(line)

    def finished(self) -> None:
        """Takes the bar away."""
        if self._width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()
            self._width = 0

    def note(self, text: str) -> None:
        """Writes a line."""
        self.finished()
        sys.stderr.write(f"note: {text}\n")
        sys.stderr.flush()

    def warning(self, text: str) -> None:
        """Warns at the line of whoever called into this package."""
        self.finished()
        warnings.warn(text, UnmissWarning, stacklevel=_outside())

    def _write(self, line: str) -> None:
        line = line[: max(20, shutil.get_terminal_size().columns - 1)]
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)


def _outside() -> int:
    """How many calls lie between a warning and whoever called into this package."""
    frame, depth = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("unmiss", "sklearn"):
        frame, depth = frame.f_back, depth + 1
    return depth


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
