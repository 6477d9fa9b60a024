"""Damages files as disks, editors and strangers do, and runs the commands that read them: each has to end
with a result or an error message, within bounds of time and memory.

Every mutant follows from its kind, the seed and its number; five of them from number 4711 on are tried by:
``PYTHONPATH=src:. .venv/bin/python -m tests.mutations manifest 5 --first 4711``. Each kind has a process of
its own, so that a crash is noticed.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import math
import random
import re
import resource
import signal
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

MOST_S = 30
"""The seconds after which a command counts as hanging. The slowest command, plot, takes a tenth of this on a
busy machine."""

MOST_BYTES = 1 << 30

DEEP = "@deep@"
RAW = {
    "@nan@": "NaN",
    "@inf@": "-Infinity",
    "@huge@": "1" + "0" * 5000,
    "@float@": "1e999",
    DEEP: "[" * 100_000 + "]" * 100_000,
}
"""Mark → the text that replaces the mark in JSON, since no Python value is written as that text."""

HOSTILE: list[Any] = [
    None, True, False, 0, -1, 1, 2, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, -(10**30), 10**400, 0.0, -0.5,
    1e-300, 1e308, *RAW, "", " ", "x", "x" * 70_000, "\ud800", "\x1b[31m", "\0", "\u202e", "a\nb",
    "../../../etc/passwd", "/etc/passwd", "NaN", "-1", "{x}", "{workload", "=cmd", "cpp/no_such", "nobid",
    "serialize:reuse", "walk:fresh", [], {}, [None], [[]], {"": ""}, {"a": {"b": []}},
]  # fmt: skip


TOKENS = (
    b'"',
    b"{",
    b"]",
    b"\n",
    b",",
    b"\\",
    b"null",
    b"NaN",
    b"\xff",
    b"-",
    b"0",
    b"\\ud800",
    b"\r",
    b"\0",
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values inside a value of dicts and lists, the value itself first."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inside for place in places(each, (*path, key)))]


def mutated(value: Any, draws: random.Random) -> Any:
    """A copy of a value in which one to three places are replaced by something hostile, deleted, doubled,
    nested, renamed or given another type."""
    whole = [copy.deepcopy(value)]  # in a list, so that the whole has a place too
    for _ in range(draws.choice((1, 1, 1, 2, 3))):
        path = draws.choice(places(whole)[1:] or [(0,)])
        if not whole:
            return None
        holder: Any = whole
        for key in path[:-1]:
            holder = holder[key]
        _mutate(holder, path[-1], draws)
    return whole[0] if whole else None


def _mutate(holder: Any, key: Any, draws: random.Random) -> None:
    old = holder[key]
    match draws.randrange(8):
        case 0 | 1 | 2:
            holder[key] = copy.deepcopy(draws.choice(HOSTILE))
        case 3:
            del holder[key]
        case 4:
            if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(old))
            else:
                holder[draws.choice((f"{key}_", key[:-1], "x" * 5000, "\x07", ""))] = old
        case 5:
            holder[key] = (
                str(old)
                if not isinstance(old, str)
                else draws.choice((len(old), [old], {old: old}, old[::-1]))
            )
        case 6:
            holder[key] = draws.choice(([old], {"value": old}, [old, old]))
        case _:
            if isinstance(old, int | float) and not isinstance(old, bool) and abs(old) < 1e30:
                holder[key] = draws.choice((-old, old * 10**6, old + 0.5, old / 3, old * 0, old**9))
            elif isinstance(old, str):
                holder[key] = draws.choice(
                    (
                        old + "\x1b",
                        old * 50,
                        old[: len(old) // 2],
                        old.upper(),
                        f"{old}:fresh",
                        "\n".join(old),
                    )
                )
            else:
                holder[key] = copy.deepcopy(draws.choice(HOSTILE))


def to_json(value: Any) -> bytes:
    """JSON text of a value, in which each mark that is a key of ``RAW`` is replaced by the mark's text."""
    text = json.dumps(value)
    for word, raw in RAW.items():
        text = text.replace(f'"{word}"', raw)
    return text.encode()


def to_toml(table: Any) -> bytes:
    """The bytes of a TOML document of a table, or of something that is nearly TOML if the table has values
    that TOML lacks; every value is written in one line."""
    if not isinstance(table, dict):
        return _toml(table).encode("utf-8", "surrogatepass")
    return "".join(f"{_toml_text(key)} = {_toml(value)}\n" for key, value in table.items()).encode(
        "utf-8", "surrogatepass"
    )


def _toml(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict():
            return "{" + ", ".join(f"{_toml_text(key)} = {_toml(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case str():
            return {**RAW, "@nan@": "nan", "@inf@": "-inf"}.get(value) or _toml_text(value)
        case float() if not math.isfinite(value):
            return str(value)
    return repr(value)


def _toml_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def damaged(data: bytes, draws: random.Random) -> bytes:
    """Bytes of which some are flipped, cut off, inserted, doubled or taken out."""
    for _ in range(draws.choice((1, 1, 2, 5))):
        at, other = draws.randrange(len(data) + 1), draws.randrange(len(data) + 1)
        low, high = min(at, other), min(max(at, other), min(at, other) + 200)
        match draws.randrange(7):
            case 0:
                data = (
                    data[:at] + bytes([data[at] ^ 1 << draws.randrange(8)]) + data[at + 1 :]
                    if at < len(data)
                    else data
                )
            case 1:
                data = data[:at]
            case 2:
                data = data[:at] + draws.randbytes(draws.choice((1, 4, 50))) + data[at:]
            case 3:
                data = data[:high] + data[low:high] + data[high:]
            case 4:
                data = data[:low] + data[high:]
            case 5:
                data = data[:low] + bytes(high - low) + data[high:]
            case _:
                token = draws.choice(
                    (
                        b'"',
                        b"{",
                        b"]",
                        b"\n",
                        b",",
                        b"\\",
                        b"null",
                        b"NaN",
                        b"\xff",
                        b"-",
                        b"0",
                        b"\\ud800",
                        b"\r",
                    )
                )
                data = data[:at] + token + data[at + len(token) * draws.randrange(2) :]
    return data


def json_mutant(data: bytes, draws: random.Random) -> bytes:
    return damaged(data, draws) if draws.random() < 0.25 else to_json(mutated(json.loads(data), draws))


def toml_mutant(data: bytes, draws: random.Random) -> bytes:
    return (
        damaged(data, draws)
        if draws.random() < 0.25
        else to_toml(mutated(tomllib.loads(data.decode()), draws))
    )


def lines_mutant(data: bytes, draws: random.Random) -> bytes:
    """A mutant of JSON in lines: some lines are mutated, and sometimes lines are lost, doubled or moved, or
    bytes are damaged."""
    lines = data.splitlines()
    for _ in range(draws.choice((1, 1, 3, 10))):
        at = draws.randrange(len(lines))
        match draws.randrange(9):
            case 0:
                del lines[at]
            case 1:
                lines.insert(draws.randrange(len(lines)), lines[at])
            case 2:
                lines[at] = damaged(lines[at], draws)
            case 3:
                lines[at] = draws.choice(
                    (b"", b"null", b"[]", b"{}", b'{"event":"later"}', b'{"event":[]}', b"[" * 100_000)
                )
            case _:
                try:
                    lines[at] = to_json(mutated(json.loads(lines[at]), draws))
                except (ValueError, RecursionError):  # it was damaged before
                    lines[at] = damaged(lines[at], draws)
        if not lines:
            break
    whole = b"\n".join(lines) + b"\n"
    return damaged(whole, draws) if draws.random() < 0.1 else whole


Mutant = Callable[[bytes, random.Random], bytes]


class Bounds:
    """Runs the calls that read mutants, and notes crashes, hangs and every other end that is neither a result
    nor an error message within bounds of time and memory."""

    def __init__(self, kind: str, seed: int):
        self.kind, self.seed = kind, seed
        self.bad: list[str] = []
        self.messages = self.results = 0

    def attempt(self, number: int, what: str, act: Callable[[], object]) -> None:
        """Runs a call that reads a mutant: counts a result, or an error that is meant for a user, and notes
        any other end as bad."""
        from serbench.errors import SerbenchError

        signal.setitimer(signal.ITIMER_REAL, MOST_S)
        try:
            act()
            self.results += 1
        except SerbenchError as error:
            self.messages += 1
            if len(str(error)) > 20_000:
                self.bad.append(f"{number} {what}: a message of {len(str(error))} characters")
        except SystemExit as error:
            if error.code not in (None, 0, 1, 2):
                self.bad.append(f"{number} {what}: status {error.code}")
            self.results += 1
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            last = traceback.format_exc().strip().splitlines()
            self.bad.append(f"{number} {what}: {' | '.join(last[-5:])[:600]}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        peak = most_memory()
        if peak > MOST_BYTES:
            self.bad.append(f"{number} {what}: {peak / 1e6:.0f} MB")


def most_memory() -> int:
    """The most bytes of memory that this program ever used. ``getrusage`` would also count the memory that
    the parent had when it started this process."""
    status = Path("/proc/self/status")
    if status.exists() and (line := re.search(r"^VmHWM:\s*(\d+) kB", status.read_text(), re.MULTILINE)):
        return int(line[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def tried(kind: str, count: int, seed: int, first: int, folder: Path) -> Bounds:
    """Makes ``count`` mutants of a kind and runs all attempts on each."""
    from tests.mutated_files import KINDS  # which imports this module's mutators

    bounds = Bounds(kind, seed)
    subject = KINDS[kind](folder)
    original = subject.file.read_bytes()
    for number in range(first, first + count):
        draws = random.Random(f"{kind}/{seed}/{number}")
        faulthandler.dump_traceback_later(4 * MOST_S, exit=True)
        subject.file.write_bytes(subject.mutant(original, draws))
        print(f"at {number}", file=sys.stderr, flush=True)  # so that a crash tells which it was
        for what, act in subject.attempts(number):
            bounds.attempt(number, what, act)
        subject.clean()
    faulthandler.cancel_dump_traceback_later()
    return bounds


def _hangs(signal_number: int, frame: object) -> None:
    raise TimeoutError(f"took longer than {MOST_S} s")


def main() -> None:
    """Tries mutants as the command line asks, and prints the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, _hangs)
    # The limit is on memory that can be written, not on addresses: the renderer of pictures reserves many.
    resource.setrlimit(resource.RLIMIT_DATA, (4 * MOST_BYTES, 4 * MOST_BYTES))
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        bounds = tried(given.kind, given.count, given.seed, given.first, Path(folder))
    found = {
        "results": bounds.results,
        "messages": bounds.messages,
        "peak_kib": most_memory() // 1024,
        "bad": bounds.bad,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
