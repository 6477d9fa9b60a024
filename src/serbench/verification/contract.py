"""Checks the timing contract (docs/decisions/010-timing-contract.md).

The codec only encodes and decodes; everything is compared here. What is encoded in one process is decoded in
another, so only bytes carry a message from one to the next, and the size is counted in all that the decoding
process was given.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.dataset.edits import edits_beside
from serbench.dataset.entropy import drawn_like
from serbench.dataset.file import Dataset, split_messages, write_like
from serbench.errors import RunnerError, SerbenchError, reason_of
from serbench.measure.composed import looked_at
from serbench.measure.conversation import Answers
from serbench.measure.differences import find_difference
from serbench.measure.judging import Judging, joined
from serbench.measure.process import apart, option_words, run_runner
from serbench.measure.said import PROTOCOL, Hello
from serbench.measure.unit import Unit, Verification
from serbench.selecting.selection import OPERATIONS, POLICIES, Memory
from serbench.selecting.support import limits_of
from serbench.verification.growth import constant_time_views
from serbench.verification.watching import (
    WATCHED_BYTES,
    cells_of,
    first_raised,
    judge_of,
    place_of,
    watch,
)


def verify(unit: Unit, finds_faults: bool = False) -> Verification:
    """Check every operation that can be measured, on the workload's data and on edge values; never raise for
    what a codec does. Round trips that were made before are not repeated.

    A program that ``finds_faults`` is built to report them: its times tell nothing, and its processes are not
    isolated, since it writes its reports to a place of its own.
    """
    trips = unit.round_trips or round_trips(unit, finds_faults)
    if not trips.ok:
        return trips
    try:
        some = replace(trips, operations=looked_at(unit.measured, trips.operations))
        watched, growth = ((), {}) if finds_faults else watch(unit, some)
    except (SerbenchError, OSError) as error:
        return _failed(unit, error)
    compared = [
        f"{kind} {decoder}:{memory}"
        for kind in ("edge", "data")
        for memory in POLICIES
        for decoder in _decoders(trips)
    ]
    found = replace(trips, checked=(*compared, *watched), growth=growth, views=(), seen={})
    return found if finds_faults else with_views(unit, found)


def with_views(unit: Unit, found: Verification) -> Verification:
    """Add the constant-time views of a unit to its verification, which passed (point 4 of the contract);
    return a failure if times show that the codec remembers results. Nothing is looked for where taking times
    is not quick."""
    if not unit.variant.codec.traits.quick_looks:
        return found
    known = [each for each in looked_at(unit.measured, found.operations) if each in OPERATIONS]
    try:
        shares = unit.variant.codec.traits.shares_texts
        views = constant_time_views(unit.command, unit.edge, known, unit.silence_limit_s, shares)
        return replace(found, views=views)
    except (SerbenchError, OSError) as error:
        return _failed(unit, error)


def _failed(unit: Unit, error: Exception) -> Verification:
    reason = reason_of(error, unit.data.is_private)
    if not isinstance(error, RunnerError):
        return Verification(False, reason)
    return Verification(False, reason, signal=error.signal, suspected=error.cell if error.by_times else "")


def round_trips(unit: Unit, finds_faults: bool = False) -> Verification:
    """Make the part of a verification that measures no times; never raise for what a codec does."""
    try:
        hello, size_bytes = _all_trips(unit, set_apart=not finds_faults)
    except (SerbenchError, OSError) as error:
        return _failed(unit, error)
    return Verification(True, "", size_bytes, unit.data.messages, hello.operations, edits=hello.edits)


@dataclass(frozen=True)
class _Trip:
    """A dataset on its way through files: encoded under each memory policy, and decoded by each decoder.

    Attributes:
        writing: the folder of the processes that encode; ``reading`` is that of the processes that decode.
        name: the beginning of the names of its files.
    """

    dataset: Dataset
    writing: Path
    reading: Path
    name: str

    @property
    def left(self) -> Path:
        """The file for the results that watched passes leave."""
        return self.writing / f"{self.name}-left"

    def encoded(self, memory: Memory) -> Path:
        return self.reading / f"{self.name}-encoded-{memory}"

    def decoded(self, decoder: str, memory: Memory) -> Path:
        return self.reading / f"{self.name}-{decoder}-{memory}"

    def encoding(self, edits: str | None) -> list[list[str]]:
        """Return the commands that check the codec within a process and encode under each policy; with
        ``edits``, all operations are also watched while values change."""
        data = self.dataset.path
        watched = {"edits": edits, "place": place_of(self.dataset), "left": self.left} if edits else {}
        files = {memory: self.writing / self.encoded(memory).name for memory in POLICIES}
        return [
            ["check", *option_words(dataset=data, **watched)],
            *(["encode", *option_words(dataset=data, memory=each, out=files[each])] for each in POLICIES),
        ]

    def hand_over(self) -> None:
        """Move the encoded files, and nothing else, to the folder of the processes that decode."""
        for memory in POLICIES:
            file = self.encoded(memory)
            (self.writing / file.name).replace(file)

    def decoding(self, decoders: Sequence[str]) -> list[list[str]]:
        """Return the commands that decode what was encoded under each policy."""
        return [
            ["decode", *option_words(operation=d, memory=m, encoded=self.encoded(m), out=self.decoded(d, m))]
            for m in POLICIES
            for d in decoders
        ]


def _all_trips(unit: Unit, set_apart: bool) -> tuple[Hello, int]:
    """Encode edge values, data and messages of random values under each policy in one process, decode them by
    each decoder in another, and compare; return what the runner says of itself, and the bytes of all messages
    of the data."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as whole:
        writing, reading, drawing = (Path(whole) / each for each in ("writing", "reading", "drawing"))
        for folder in (writing, reading, drawing):
            folder.mkdir()
        greatest = limits_of(unit.variant, unit.spec.workload.schema).greatest_integer
        drawn = drawn_like(unit.data, integers=unit.spec.workload.walk is None, greatest=greatest)
        datasets = {"edge": unit.edge, "data": unit.data}
        if drawn.least_bytes:
            datasets["drawn"] = write_like(drawing, unit.data, drawn.messages)
        trips = [_Trip(dataset, writing, reading, name) for name, dataset in datasets.items()]
        hello, judging = _all_encoded(unit, trips, apart(writing) if set_apart else ())
        for trip in trips:
            trip.hand_over()
        shutil.rmtree(writing)
        sizes = {
            trip.name: [_size_of(trip.encoded(memory), trip.dataset) for memory in POLICIES] for trip in trips
        }
        # A codec that encodes the number of a message could look it up in the data.
        hidden = [
            path for path in {trip.dataset.path.parent for trip in trips} if not reading.is_relative_to(path)
        ]
        _all_decoded(unit, hello, trips, judging, apart(reading, hidden) if set_apart else ())
        for trip in trips:
            for memory in POLICIES:
                for decoder in _decoders(hello):
                    body = trip.decoded(decoder, memory).read_bytes()
                    if difference := find_difference(trip.dataset, body, unit.variant.tolerance):
                        raise RunnerError(f"{decoder}:{memory} does not round-trip: {difference}")
        if (least := min(sizes.get("drawn", [drawn.least_bytes]))) < drawn.least_bytes:
            raise RunnerError(
                f"messages with {drawn.bits:.0f} bits of entropy were encoded to {least} bytes, but "
                f"decoding them takes at least {drawn.least_bytes}: the codec passes the rest in "
                "some other way"
            )
    return hello, sizes["data"][POLICIES.index("reuse")]


def _all_encoded(unit: Unit, trips: Sequence[_Trip], starter: Sequence[str]) -> tuple[Hello, Judging | None]:
    """Have one process check the codec and encode each dataset under each policy. A runner that takes long to
    start also watches its operations there, whose results are judged later; for others, ``watch`` does
    that."""
    small = {trip.name: trip for trip in trips if trip.dataset.canonical_bytes <= WATCHED_BYTES}
    known = (small[name] for name in ("data", "edge", "drawn") if name in small)
    watched = None if unit.variant.codec.traits.quick_looks else next(known, None)
    edits = edits_beside(watched.dataset, unit.variant.tells_floats) if watched else None
    encoding = [command for trip in trips for command in trip.encoding(edits if trip is watched else None)]

    def judging() -> Judging | None:
        if not (watched and edits):
            return None
        return Judging(judge_of(unit, watched.dataset, edits), watched.left, watched.reading)

    try:
        hello = _run(unit, ["checked", *["encoded"] * len(POLICIES)] * len(trips), encoding, starter)
    except RunnerError as error:
        left = judging()
        if left and (differing := left.differing({})):
            # It is sure, as a time that tells of remembered results is not.
            raise RunnerError(differing[0].reason) from error
        raise
    return hello, judging() if hello.edits else None


def _all_decoded(
    unit: Unit, hello: Hello, trips: Sequence[_Trip], judging: Judging | None, starter: Sequence[str]
) -> None:
    """Have one process decode all that was encoded, including the results of watched passes, and judge these;
    raise RunnerError where the process fails or results are wrong."""
    decoding = [command for trip in trips for command in trip.decoding(_decoders(hello))]
    left = judging.decoding() if judging else []
    is_decoded = False
    if left:
        with contextlib.suppress(RunnerError):
            _run(unit, ["decoded"] * len([*decoding, *left]), [*decoding, *left], starter)
            is_decoded = True
    if decoding and not is_decoded:
        _run(unit, ["decoded"] * len(decoding), decoding, starter)
    if judging:
        cells = cells_of(hello.operations)
        first_raised(judging.differing(dict.fromkeys(cells, 1), is_decoded), cells)


def _decoders(offered: Hello | Verification) -> list[str]:
    return [operation for operation in ("decode", "decode_fast") if operation in offered.operations]


def describe(unit: Unit) -> Hello:
    """Return the runner's description of itself; raise RunnerError if the runner was made for other data or
    speaks another version of the protocol."""
    return _run(unit, [], [["describe"]])


def _identify(unit: Unit, hello: Hello) -> None:
    """Raise RunnerError where what a runner says of itself in ``hello`` does not fit the unit."""
    expected = {"protocol": PROTOCOL, "schema": unit.data.schema().digest(), "codec": unit.variant.id}
    for key, value in expected.items():
        if getattr(hello, key) != value:
            raise RunnerError(f"the runner has {key} {getattr(hello, key)!r}; expected {value!r}")
    if hello.floor and not unit.variant.codec.floor:
        raise RunnerError(
            "the adapter declares itself a floor, which leaves out build and extract; only "
            "serbench's own floors may"
        )


def encode(unit: Unit, dataset: Dataset, memory: Memory, encoded: Path, starter: Sequence[str] = ()) -> int:
    """Encode a dataset into the file ``encoded``; return the bytes of all encoded messages. ``starter`` are
    words that isolate the process."""
    words = option_words(dataset=dataset.path, memory=memory, out=encoded)
    _run(unit, ["encoded"], [["encode", *words]], starter)
    return _size_of(encoded, dataset)


def encode_all(unit: Unit, datasets: Sequence[Dataset], files: Sequence[Path]) -> None:
    """Encode each of several datasets of a unit's schema into the file beside it, all in one process."""
    words = [
        ["encode", *option_words(dataset=data.path, memory="reuse", out=file)]
        for data, file in zip(datasets, files, strict=True)
    ]
    _run(unit, ["encoded"] * len(words), words)


def encoded_by(unit: Unit, messages: Iterable[bytes], set_apart: bool = False) -> list[bytes]:
    """Return canonical messages as the unit's codec encodes them; with ``set_apart``, in a process that can
    leave nothing else behind."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        folder = Path(name)
        encoded = folder / "encoded"
        dataset = write_like(folder, unit.data, messages)
        encode(unit, dataset, "reuse", encoded, apart(folder) if set_apart else ())
        return [bytes(message) for message in split_messages(encoded.read_bytes())]


def _size_of(encoded: Path, dataset: Dataset) -> int:
    sizes = [len(m) for m in split_messages(encoded.read_bytes())]
    if len(sizes) != dataset.messages:
        raise RunnerError(f"{dataset.messages} messages were encoded to {len(sizes)}")
    return sum(sizes)


def ask(unit: Unit, kind: str, command: str, **options: object) -> None:
    """Run one command of a runner, which has to answer with an event of this kind."""
    _run(unit, [kind], [[command, *option_words(**options)]])


def _run(
    unit: Unit, kinds: Sequence[str], commands: Sequence[Sequence[str]], starter: Sequence[str] = ()
) -> Hello:
    """Run commands in order in one process, which has to answer with events of these kinds; return what the
    runner says of itself. ``starter`` are words in front of the runner's command that isolate the process.
    Raise RunnerError where the process fails, or is not the runner of this unit."""
    words = [*starter, *unit.command, *joined(commands)]
    events = run_runner(words, Answers(*kinds), silence_limit_s=unit.silence_limit_s)
    with contextlib.closing(events):
        hello = next(events)
        assert isinstance(hello, Hello)  # a runner that begins otherwise is an error
        _identify(unit, hello)
        for _ in events:
            pass
    return hello
