"""The machine-checked part of the timing contract, points 1 to 3 and 5 of docs/design.md.

The codec only encodes and decodes; everything is compared here. Each step is a process of its own, so the
bytes alone carry a message from one to the next, and what is counted as size is all that the next one was given.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from serbench.codec import Tolerance, Variant
from serbench.dataset.canonical import decode
from serbench.dataset.file import Dataset, split_messages
from serbench.dataset.values import first_difference
from serbench.errors import RunnerError, SerbenchError
from serbench.measure.process import Event, run_runner
from serbench.model import Schema
from serbench.selection import Memory

POLICIES: tuple[Memory, ...] = ("reuse", "fresh")


@dataclass(frozen=True)
class Verification:
    """What verification of one codec variant × workload found.

    Attributes:
        ok: whether the contract holds.
        reason: what failed, and where; empty where nothing did.
        size_bytes: bytes of all encoded messages, counted by us in what the decoding process was given.
        operations: those that the runner offers.
        checked: the paths that were compared, such as ``edge decode_fast:fresh``.
        compiler: what the runner was compiled with.
    """

    ok: bool
    reason: str
    size_bytes: int = 0
    messages: int = 0
    operations: tuple[str, ...] = ()
    checked: tuple[str, ...] = field(default=())
    compiler: str = ""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Verification:
        """What ``asdict`` made, with its lists as tuples again."""
        return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in data.items()})


def verify_cached(cache: Path, executable: Path, variant: Variant, data: Dataset, edge: Dataset) -> Verification:
    """As ``verify``, but what passed before with the same executable and data is not done again."""
    digest = hashlib.sha256()
    for part in (executable.read_bytes(), data.sha256.encode(), edge.sha256.encode(), Path(__file__).read_bytes()):
        digest.update(hashlib.sha256(part).digest())
    path = cache / digest.hexdigest()[:32]
    if path.exists():
        return Verification.from_json(json.loads(path.read_text()))
    result = verify(executable, variant, data, edge)
    if result.ok:
        cache.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(result)))
    return result


def verify(executable: Path, variant: Variant, data: Dataset, edge: Dataset) -> Verification:
    """Checks every path that can be measured, on the workload's data and on edge values; never raises for what a codec does."""
    try:
        hello = _one(executable, "hello", "describe")
        operations = tuple(hello.get("operations", ()))
        decoders = [o for o in ("decode", "decode_fast") if o in operations]
        checked: list[str] = []
        size_bytes = 0
        for kind, dataset in (("edge", edge), ("data", data)):
            _one(executable, "checked", "check", "--dataset", str(dataset.path))
            for memory in POLICIES:
                with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
                    size_bytes = _encode(executable, dataset, memory, Path(folder))
                    for operation in decoders:
                        _decode_and_compare(executable, variant, dataset, operation, memory, Path(folder))
                        checked.append(f"{kind} {operation}:{memory}")
        return Verification(True, "", size_bytes, data.messages, operations, tuple(checked), str(hello.get("compiler", "")))
    except SerbenchError as error:
        return Verification(False, str(error))


def _encode(executable: Path, dataset: Dataset, memory: Memory, folder: Path) -> int:
    """Encodes into ``folder/encoded``; returns the bytes of all messages, as we count them."""
    encoded = folder / "encoded"
    _one(executable, "encoded", "encode", "--dataset", str(dataset.path), "--memory", memory, "--out", str(encoded))
    sizes = [len(m) for m in split_messages(encoded.read_bytes())]
    if len(sizes) != dataset.messages:
        raise RunnerError(f"{dataset.messages} messages were encoded to {len(sizes)}")
    return sum(sizes)


def _decode_and_compare(
    executable: Path, variant: Variant, dataset: Dataset, operation: str, memory: Memory, folder: Path
) -> None:
    decoded = folder / "decoded"
    _one(
        executable, "decoded", "decode", "--encoded", str(folder / "encoded"), "--operation", operation,
        "--memory", memory, "--out", str(decoded),
    )  # fmt: skip
    body = decoded.read_bytes()
    if body == dataset.body():
        return
    difference = find_difference(dataset, body, variant.tolerance)
    if difference:
        raise RunnerError(f"{operation}:{memory} of what was encoded is not what was given: {difference}")


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
            difference = first_difference(schema.root, decode(schema.root, before), decode(schema.root, after), absolute)
            if difference:
                return f"message {n}, {difference}"
    return None


def _one(executable: Path, kind: str, *arguments: Any) -> Event:
    """Runs one command of a runner and returns its event of this kind."""
    for event in list(run_runner([str(executable), *arguments])):
        if event["event"] == kind:
            return event
    raise RunnerError(f"the runner did not say '{kind}' when asked to {arguments[0]}")
