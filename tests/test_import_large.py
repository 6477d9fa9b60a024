"""Tests that files of a gigabyte are imported in bounded memory; they run with ``--large`` and make the
files. The speed is printed, but not asserted."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import fastavro
import msgspec
import pytest

from serbench.paths import PROJECT

SIZE = 1_000_000_000
MOST_BYTES = 1 << 30
PART = 50_000_000
"""The number of bytes over which the speed of the library alone is measured for comparison."""

_SCHEMA = {
    "type": "record", "name": "Event", "fields": [
        {"name": "id", "type": "long"},
        {"name": "user", "type": "string"},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["click", "view", "buy"]}},
        {"name": "price", "type": ["null", "double"]},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _asked_for(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("large"):
        pytest.skip("files of a gigabyte are made and imported with --large")


def _events(draws: Random, count: int) -> list[dict[str, Any]]:
    words = [
        "".join(draws.choices("abcdefghijklmnopqrstuvwxyz", k=draws.choice((3, 8, 40)))) for _ in range(500)
    ]
    return [
        {
            "id": draws.randrange(1 << draws.choice((7, 20, 40))),
            "user": draws.choice(words),
            "kind": draws.choice(("click", "view", "buy")),
            "price": draws.choice((None, draws.random() * 1000)),
            "tags": draws.sample(words, draws.choice((0, 1, 5))),
            "at": 1_700_000_000_000 + draws.randrange(1 << 36),
        }
        for _ in range(count)
    ]  # fmt: skip


def _repeated(file: Path, head: bytes, block: bytes) -> None:
    """Writes a file of a gigabyte from many copies of one block; repeated data are read as slowly as any."""
    with file.open("wb") as out:
        out.write(head)
        for _ in range(-(-(SIZE - len(head)) // len(block))):
            out.write(block)


def json_lines(folder: Path) -> Path:
    file = folder / "events.jsonl"
    lines = (json.dumps(each, separators=(",", ":")) + "\n" for each in _events(Random(1), 20_000))
    _repeated(file, b"", "".join(lines).encode())
    return file


def avro(folder: Path) -> Path:
    file = folder / "events.avro"
    containers = []
    for events in ([], _events(Random(1), 20_000)):
        out = BytesIO()
        fastavro.writer(out, _SCHEMA, events, sync_marker=b"\7" * 16)
        containers.append(out.getvalue())
    head, whole = containers
    assert whole.startswith(head)
    _repeated(file, head, whole.removeprefix(head))
    return file


def _by_lines(file: Path) -> float:
    """The speed at which msgspec alone reads lines, over the first part of the file, in MB/s of processor
    time."""
    begun, done = time.process_time(), 0
    with file.open("rb") as lines:
        for line in lines:
            msgspec.json.decode(line)
            done += len(line)
            if done > PART:
                break
    return done / 1e6 / (time.process_time() - begun)


def _by_fastavro(file: Path) -> float:
    """The speed at which fastavro alone reads messages, over the first part of the file, in MB/s of processor
    time."""
    begun = time.process_time()
    with file.open("rb") as container:
        for n, _ in enumerate(fastavro.reader(container)):
            if n % 1000 == 0 and container.tell() > PART:
                break
        return container.tell() / 1e6 / (time.process_time() - begun)


def _resident(session: int) -> int:
    """The bytes of memory of all processes in a session; shared pages are counted for each process."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):  # it has ended
            continue
    return total


@pytest.mark.parametrize(
    ("made", "alone", "readings"), [(json_lines, _by_lines, 2), (avro, _by_fastavro, 1)], ids=["json", "avro"]
)
def test_a_gigabyte_is_imported_in_bounded_memory(
    made: Callable[[Path], Path],
    alone: Callable[[Path], float],
    readings: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("nothing tells the memory of other processes here")
    file = made(tmp_path)
    environment = {**os.environ, "SERBENCH_HOME": str(tmp_path / "home"), "PYTHONPATH": str(PROJECT / "src")}
    command = [sys.executable, "-m", "serbench", "import", str(file), "--name", "large"]
    said, begun, peak = tmp_path / "said", time.monotonic(), 0
    usage = getrusage(RUSAGE_CHILDREN)
    before_s = usage.ru_utime + usage.ru_stime
    with said.open("w") as out:
        process = subprocess.Popen(command, stderr=out, stdout=out, env=environment, start_new_session=True)
        while process.poll() is None:
            peak = max(peak, _resident(process.pid))
            time.sleep(0.05)
    taken, size, usage = time.monotonic() - begun, file.stat().st_size, getrusage(RUSAGE_CHILDREN)
    cpu_s = usage.ru_utime + usage.ru_stime - before_s
    library = alone(file)
    file.unlink()
    with capsys.disabled():
        print(
            f"\n{file.name}: {taken:.0f} s, {cpu_s:.0f} s of them on a core: "
            f"{readings * size / cpu_s / 1e6:.0f} MB/s in {readings} readings, where the library alone reads "
            f"{library:.0f} MB/s; at most {peak / 1e6:.0f} MB of memory"
        )
    assert process.returncode == 0, said.read_text()
    assert "workload large" in said.read_text() and 1e7 < peak < MOST_BYTES
    assert taken < 20 or re.search(
        r"^reading: \d+ % of [\d,]+ MB, \d+ s left$", said.read_text(), re.MULTILINE
    )
