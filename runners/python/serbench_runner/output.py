"""Writes events to standard output, which the runner takes over: text that a library prints there is kept
apart."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_SHOWN = 80


class Output:
    """Takes over standard output, so that only events reach it."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._events = os.dup(1)
        self._printed = os.memfd_create("printed", os.MFD_CLOEXEC) if hasattr(os, "memfd_create") else None
        if self._printed is not None:
            os.dup2(self._printed, 1)

    def say(self, event: str, **values: Any) -> None:
        """Writes an event, whole and at once."""
        line = json.dumps({"event": event, **values}).encode() + b"\n"
        while line:
            line = line[os.write(self._events, line) :]

    def printed(self) -> str:
        """The beginning of the text that code other than the runner wrote to standard output."""
        sys.stdout.flush()
        return "" if self._printed is None else os.pread(self._printed, _SHOWN, 0).decode(errors="replace")
