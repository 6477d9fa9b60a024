"""The machine-checked timing contract of docs/design.md.

The codec only encodes and decodes; everything is compared here. What is encoded in one process is decoded in another, so the
bytes alone carry a message from one to the next, and what is counted as size is all that the next one was given.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from serbench.codec import Tolerance, Variant
from serbench.dataset.canonical import decode
from serbench.dataset.file import Dataset, split_messages
from serbench.dataset.values import first_difference, kind_of, short
from serbench.errors import FileError, RunnerError, SerbenchError, reason_of
from serbench.files import read_json, to_json
from serbench.measure.conversation import Answers
from serbench.measure.growth import constant_time_views
from serbench.measure.process import run_runner
from serbench.measure.said import PROTOCOL, Hello
from serbench.measure.unit import Unit, Verification
from serbench.model import Schema
from serbench.selection import OPERATIONS, Memory
from serbench.whole import write_atomically

SEPARATOR = "+"
"""Between the commands that one process is given at once."""

POLICIES: tuple[Memory, ...] = ("reuse", "fresh")


def verify_cached(folder: Path, unit: Unit) -> Verification:
    """As ``verify``, but what passed before with the same executable, data and contract is not done again."""
    if unit.variant.codec.dynamic:  # what its shared libraries do is not in its executable
        return verify(unit)
    path = folder / _what_decides(unit)
    if known := _remembered(path):
        return known
    result = verify(unit)
    if result.ok:
        write_atomically(path, to_json(asdict(result)))
    return result


def _what_decides(unit: Unit) -> str:
    """A digest of everything that a verification depends on."""
    parts = {
        "runner": digest_of(unit.command),
        "codec": unit.variant.id,
        "tolerance": asdict(unit.variant.tolerance),
        "data": [[each.sha256, each.messages, each.schema().digest()] for each in (unit.data, unit.edge)],
        "verifier": _verifier(),
        "python": sys.version,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


@cache
def _verifier() -> str:
    """A digest of the sources that decide whether a codec passes: those of every package that this module uses, whole, so that
    none is forgotten."""
    package = Path(__file__).parents[1]
    folders = [package / name for name in ("model", "dataset", "measure")]
    sources = [*package.glob("*.py"), *(path for folder in folders for path in folder.rglob("*.py"))]
    parts = [f"{path.relative_to(package)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in sorted(sources)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _remembered(path: Path) -> Verification | None:
    """What an earlier verification found; None where there was none, or the file cannot be used: then it is done again."""
    if not path.exists():
        return None
    try:
        found = read_json(path, Verification, "verification")
    except FileError:
        return None
    return found if found.ok else None


def digest_of(command: Sequence[str]) -> str:
    """SHA-256 of a runner: of its executable and of the words that follow, which hold the digest of what a runner
    loads that is more than one executable."""
    executable = hashlib.sha256(Path(command[0]).read_bytes()).hexdigest()
    return hashlib.sha256("\0".join([executable, *command[1:]]).encode()).hexdigest()


def verify(unit: Unit) -> Verification:
    """Checks every path that can be measured, on the workload's data and on edge values; never raises for what a codec does."""
    try:
        hello = describe(unit)
        operations = hello.operations
        decoders = [o for o in ("decode", "decode_fast") if o in operations]
        _, size_bytes = _round_trips(unit, (unit.edge, unit.data), decoders, hello.sequences)
        return Verification(
            ok=True,
            reason="",
            size_bytes=size_bytes,
            messages=unit.data.messages,
            operations=operations,
            checked=tuple(f"{kind} {o}:{memory}" for kind in ("edge", "data") for memory in POLICIES for o in decoders),
            compiler=hello.compiler,
            views=_views(unit, operations),
        )
    except (SerbenchError, OSError) as error:
        return Verification(
            False, reason_of(error, unit.data.is_private), signal=error.signal if isinstance(error, RunnerError) else 0
        )


@dataclass(frozen=True)
class _Trip:
    """A dataset on its way through files: encoded under each policy, decoded by each decoder."""

    dataset: Dataset
    folder: Path

    def encoded(self, memory: Memory) -> Path:
        return self.folder / f"encoded-{memory}"

    def decoded(self, decoder: str, memory: Memory) -> Path:
        return self.folder / f"{decoder}-{memory}"

    def encoding(self) -> list[tuple[str, ...]]:
        """The commands that check the codec within a process, and encode."""
        data = ("--dataset", str(self.dataset.path))
        encode = [("encode", *data, "--memory", memory, "--out", str(self.encoded(memory))) for memory in POLICIES]
        return [("check", *data), *encode]

    def decoding(self, decoders: Sequence[str]) -> list[tuple[str, ...]]:
        return [
            ("decode", "--operation", d, "--memory", m, "--encoded", str(self.encoded(m)), "--out", str(self.decoded(d, m)))
            for m in POLICIES
            for d in decoders
        ]


def _round_trips(unit: Unit, datasets: Sequence[Dataset], decoders: Sequence[str], together: bool) -> list[int]:
    """Encodes under each policy, decodes in other processes by each decoder, and compares; returns the bytes of all messages
    of each dataset.

    Args:
        together: whether the runner takes several commands at once, since it is dear to start: then there is one process that
            encodes and one that decodes.
    """
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        trips = [_Trip(dataset, Path(name) / str(n)) for n, dataset in enumerate(datasets)]
        for trip in trips:
            trip.folder.mkdir()
        encoding = ["checked", *["encoded"] * len(POLICIES)]
        _ask_all(unit, encoding * len(trips), [command for trip in trips for command in trip.encoding()], together)
        sizes = [[_size_of(trip.encoded(memory), trip.dataset) for memory in POLICIES] for trip in trips]
        decoding = [command for trip in trips for command in trip.decoding(decoders)]
        _ask_all(unit, ["decoded"] * len(decoding), decoding, together)
        for trip in trips:
            for memory in POLICIES:
                for decoder in decoders:
                    path, body = f"{decoder}:{memory}", trip.decoded(decoder, memory).read_bytes()
                    _compare(unit, trip.dataset, path, body)
    return [of_policies[POLICIES.index("reuse")] for of_policies in sizes]


def _views(unit: Unit, operations: Sequence[str]) -> tuple[str, ...]:
    """Point 4 of the contract, where a look at times is quick."""
    if not takes_times(unit.variant):
        return ()
    known = [o for o in operations if o in OPERATIONS]
    return constant_time_views(unit.command, unit.edge, known, unit.silence_limit_s)


def takes_times(variant: Variant) -> bool:
    """Whether the verification of a codec takes times, which nothing may disturb that runs beside."""
    return variant.codec.traits.quick_looks


def describe(unit: Unit) -> Hello:
    """The runner's own word on what it is; refused where it was made for other data or speaks another protocol."""
    hello = _run(unit, [], ["describe"])
    expected = {"protocol": PROTOCOL, "schema": unit.data.schema().digest(), "codec": unit.variant.id}
    for key, value in expected.items():
        if getattr(hello, key) != value:
            raise RunnerError(f"the runner has {key} {getattr(hello, key)!r}; expected {value!r}")
    return hello


def encode(unit: Unit, dataset: Dataset, memory: Memory, encoded: Path) -> int:
    """Encodes into the file ``encoded``; returns the bytes of all messages, as we count them."""
    ask(unit, "encoded", "encode", "--dataset", str(dataset.path), "--memory", memory, "--out", str(encoded))
    return _size_of(encoded, dataset)


def _size_of(encoded: Path, dataset: Dataset) -> int:
    sizes = [len(m) for m in split_messages(encoded.read_bytes())]
    if len(sizes) != dataset.messages:
        raise RunnerError(f"{dataset.messages} messages were encoded to {len(sizes)}")
    return sum(sizes)


def _compare(unit: Unit, dataset: Dataset, path: str, body: bytes) -> None:
    if body == dataset.body():
        return
    difference = find_difference(dataset, body, unit.variant.tolerance)
    if difference:
        raise RunnerError(f"{path} of what was encoded is not what was given: {difference}")


def find_difference(dataset: Dataset, body: bytes, tolerance: Tolerance) -> str | None:
    """Where decoded canonical messages depart from the dataset's beyond ``tolerance``; None where nowhere."""
    schema: Schema = dataset.schema()
    expected, found = list(dataset.read_messages()), list(split_messages(body))
    if len(expected) != len(found):
        return f"{len(found)} messages, expected {len(expected)}"
    # A tolerance as small as this changes nothing but that 0.0 equals -0.0.
    absolute = tolerance.float_absolute or (5e-324 if tolerance.negative_zero else 0.0)
    for n, (before, after) in enumerate(zip(expected, found, strict=True)):
        if before != after:
            given, got = decode(schema.root, before), decode(schema.root, after)
            difference = first_difference(schema.root, given, got, absolute, kind_of if dataset.is_private else short)
            if difference:
                return f"message {n}, {difference}"
    return None


def ask(unit: Unit, kind: str, *arguments: str) -> None:
    """Runs one command of a runner, which has to answer it with an event of this kind."""
    _run(unit, [kind], arguments)


def _ask_all(unit: Unit, kinds: Sequence[str], commands: Sequence[Sequence[str]], together: bool) -> None:
    """Runs commands in order, all in one process or each in its own; each is answered with an event of its kind."""
    if not together:
        for kind, command in zip(kinds, commands, strict=True):
            ask(unit, kind, *command)
    elif commands:
        _run(unit, kinds, [word for command in commands for word in (SEPARATOR, *command)][1:])


def _run(unit: Unit, kinds: Sequence[str], words: Sequence[str]) -> Hello:
    """Runs a process that answers with events of these kinds; returns what it said of itself."""
    hello, *_ = run_runner([*unit.command, *words], Answers(*kinds), silence_limit_s=unit.silence_limit_s)
    assert isinstance(hello, Hello)  # a runner that begins otherwise is an error
    return hello
