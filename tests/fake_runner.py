"""A runner that follows the protocol without a codec: its times are made up, and it can misbehave in every
way in which a real runner can.

The first argument names a fault and the cell that has it, such as ``crash@deserialize:reuse``, or ``none``;
the other arguments are those of docs/protocol.md.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SCHEMA = os.environ.get("FAKE_SCHEMA", "")
CODEC = os.environ.get("FAKE_CODEC", "fake/plain")
OPERATIONS = os.environ.get("FAKE_OPERATIONS", "serialize deserialize encode decode").split()


def say(event: str, **values: Any) -> None:
    print(json.dumps({"event": event, **values}), flush=True)


def misbehave(how: str) -> None:
    if how == "crash":
        print("free(): invalid pointer", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "abort":
        os.abort()
    elif how == "exit":
        print("could not do it", file=sys.stderr)
        sys.exit(3)
    elif how == "hang":
        time.sleep(600)
    elif how == "hang_in_child":  # the child holds the output open
        subprocess.run(["sleep", "600"])
    elif how == "garbage":
        print("<html>this is no event</html>", flush=True)
    elif how == "not_an_event":
        print(json.dumps([1, 2, 3]), flush=True)
    elif how == "error":
        say("error", message="the library says no", kind="library.Refusal", by="library")
        sys.exit(1)
    elif how == "error-with-values":
        say("error", message="the library says no", kind="no 42")
        sys.exit(1)
    elif how == "suspects":
        trace = "decode takes 28.8 times as long\n    at check (file.js:12)"
        print(f"Error: {trace}", file=sys.stderr)
        say("error", message=trace, suspected=os.environ.get("FAKE_SUSPECTED", "decode:reuse"))
        sys.exit(1)
    elif how.startswith("suspects_"):  # in as many processes as it says, and no later one
        times = Path(os.environ["FAKE_TIMES"])
        times.write_text(str(count := int(times.read_text()) + 1 if times.exists() else 1))
        if count <= int(how.removeprefix("suspects_")):
            misbehave("suspects")
    elif how in BAD_SAMPLES:
        line = {
            "event": "sample",
            "operation": "deserialize",
            "memory": "reuse",
            "iterations": 10,
            "elapsed_ns": 1000,
        }
        print(json.dumps({**line, **BAD_SAMPLES[how]}), flush=True)
    elif how == "surrogate":
        say("sample", operation="deserialize", memory="reuse", iterations=10, elapsed_ns=1000, note="\ud800")
    elif how == "not_utf8":
        sys.stdout.buffer.write(b'{"event":"error","message":"no \xff\\u001b[31mway"}\n')
        sys.exit(1)
    elif how == "endless_line":
        for _ in range(3000):
            sys.stdout.write("x" * 1_000_000)
    elif how == "flood":
        for _ in range(1_000_000):
            say("sample", operation="deserialize", memory="reuse", iterations=10, elapsed_ns=1000)
    elif how == "long_error":
        say("error", message="z" * 1_000_000)
        sys.exit(1)
    elif how == "bad_name":
        say("hello", protocol=1, operations=["encode\x1b[2J"])
    elif how == "chatter":
        while True:
            say("hello", protocol=1, codec=CODEC, schema=SCHEMA)
            time.sleep(0.05)
    elif how == "stderr":
        for _ in range(200):
            sys.stderr.write("y" * 1_000_000)
        sys.stderr.write("the end of it")
        sys.exit(4)
    elif how == "escape":  # a child in a session of its own, which nobody waits for
        child = subprocess.Popen(
            ["sleep", "600"],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"]} if "FAKE_CLEARED" in os.environ else None,
        )
        Path(os.environ["FAKE_PIDS"]).write_text(f"{os.getpid()} {child.pid}")
    elif how == "escape_and_hang":
        misbehave("escape")
        time.sleep(600)
    elif how == "silent_end":
        sys.exit(0)


BAD_SAMPLES: dict[str, dict[str, Any]] = {
    "zero": {"iterations": 0},
    "null": {"waited_ns": None},
    "text": {"waited_ns": "12"},
    "huge": {"elapsed_ns": 10**399},
    "huge_extra": {"place": 10**399},
    "nan": {"elapsed_ns": float("nan")},
    "infinite": {"stolen_ns": float("inf")},
    "truth": {"iterations": True},
    "list": {"place": [1, 2]},
    "long_text": {"place": "x" * 100_000},
    "elsewhere": {"operation": "teleport"},
}
"""Fault → the fields of a sample that the fault makes wrong."""


LEAVES = (
    "remembers",
    "remembers_and_dies",
    "leaves_nothing",
    "leaves_nonsense",
    "leaves_no_record",
    "has_other_edits",
)
"""Faults in the records of what timed passes left."""

SLOW_IN_PLACE = {
    "few_slow_in_place": (2, True, 8),
    "short_slow_in_place": (2, False, 200_000),
    "cached_slow_in_place": (16, True, 8),
}
"""Fault → the data that the fault makes slow in a bad place of memory: the number of messages, whether they
are long, and how many times as long a pass takes."""


SLOW_START_NS = {
    "starts_slowly": (1_000_000, 1.0),
    "starts_slowly_and_skips": (10_000, 0.01),
    "starts_too_slowly_to_tell": (5_000_000, 0.0),
    "skips_in_a_slow_place": (1_000, 0.004),
}
"""Fault → the nanoseconds that the fault adds for each message, and for each of its bytes."""


def slower_by_place(fault: str, options: dict[str, str], data: bytes) -> int:
    """The factor by which a fault makes a pass slower because of where its data lie in memory; 1 for faults
    that have nothing to do with memory. A fault in ``SLOW_IN_PLACE`` slows passes down only where the number
    of ``--place`` is even; the two faults that stand for a heap in disorder do at any number."""
    messages, long = int.from_bytes(data[16:24], "little"), int.from_bytes(data[24:32], "little") > 100
    if fault == "pages_given_back":  # a pass over few messages gives pages back each time
        return 8 if messages <= 2 else 1
    if fault == "slow_beside_others":
        return 8 if "," in options["cells"] and messages == 2 else 1
    many, long_ones, factor = SLOW_IN_PLACE.get(fault, (0, False, 1))
    return factor if (many, long_ones) == (messages, long) and int(options.get("place", 0)) % 2 == 0 else 1


def measure(options: dict[str, str], fault: str, where: str) -> None:
    data = Path(options["dataset"]).read_bytes() if options["dataset"] else b""
    size = int.from_bytes(data[24:32], "little") or 1  # the bytes of all messages
    for cell in options["cells"].split(","):
        if cell == where:
            misbehave(fault)
        operation, _, memory = cell.partition(":")
        jitter = os.getpid() % 7 if (fault, where) == ("restless", cell) else 0
        for sample in range(int(options["samples"])):
            elapsed = 1_000_000 * (len(operation) + sample + jitter)
            if (fault, where) == ("cached", operation):
                pass
            elif (fault, where) == ("view", operation):
                elapsed *= int.from_bytes(data[16:24], "little")  # messages
            elif where == operation and fault in SLOW_START_NS:
                message_ns, byte_ns = SLOW_START_NS[fault]
                count = int.from_bytes(data[16:24], "little")
                elapsed = round(1000 * (message_ns * count + byte_ns * size))
            elif where == operation:
                elapsed *= slower_by_place(fault, options, data) * (
                    1 if fault == "cached_slow_in_place" else size
                )
            else:
                elapsed *= size
            grows = (
                fault == "leaks"
                or (fault == "fills" and sample < 2)
                or (fault == "fills_for_long" and sample * int(options["sample-ns"]) < 30_000_000)
            )
            left = leave(options, cell, data, fault if where == cell else "")
            disturbed = fault == "disturbed" and (where == cell if sample else where == "all")
            say(
                "sample",
                operation=operation,
                memory=memory,
                iterations=int(options.get("iterations", 1000)),
                elapsed_ns=elapsed,
                waited_ns=elapsed // 10 if disturbed else 0,
                own_ns=elapsed - elapsed // 10 if disturbed else -1,
                grown_bytes=1 << 20 if grows and where == cell else 0,
                left=left,
                settled=(fault, where) != ("unsettled", cell),
                given_place=int(options.get("place", -1)),
                started_as=fault,
            )
        if (fault, where) == ("remembers_and_dies", cell):
            misbehave("crash")


def leave(options: dict[str, str], cell: str, data: bytes, fault: str) -> int:
    """Appends the record of what a timed pass left to the file of ``--left``: the bytes of the first message
    that has edits, after its first edit. The fault may spoil the record. Returns the number of records that
    the runner claims to have written."""
    if "left" not in options:
        return 0
    edits = Path(options["edits"]).read_bytes()
    message, offset, size = struct.unpack_from("<III", edits, 16)
    now = bytearray(split(body_of(data))[message])
    if not fault.startswith("remembers"):
        now[offset : offset + size] = edits[28 : 28 + size]
    kind = 1 if cell.startswith(("encode", "serialize")) else 0
    edit = 1 << 20 if fault == "has_other_edits" else 0
    body = b"?" if fault == "leaves_nonsense" else now
    record = bytes([len(cell)]) + cell.encode() + struct.pack("<BBIII", kind, 0, message, 1, edit)
    if fault == "leaves_no_record":
        record = b""
    if fault != "leaves_nothing":
        with Path(options["left"]).open("ab") as file:
            file.write(struct.pack("<I", len(record) + len(body)) + record + body)
    return 1


def body_of(data: bytes) -> bytes:
    """The body of a dataset file: its messages, each behind its length."""
    return data[96 + int.from_bytes(data[12:16], "little") :]


def messages(path: str, header: bool) -> bytes:
    data = Path(path).read_bytes()
    return body_of(data) if header else data


def main() -> None:
    fault, _, where = sys.argv[1].partition("@")
    words = sys.argv[2:]
    if words[0] == "--writer-schema":
        Path(os.environ["FAKE_WRITER_SCHEMA"]).write_text(Path(words[1]).read_text())
        words = words[2:]
    elif fault == "needs_writer_schema" and words[0] == "decode":
        misbehave("error")
    commands: list[list[str]] = [[]]
    for word in words:
        if word == "+":
            commands.append([])
        else:
            commands[-1].append(word)
    if where == commands[0][0]:
        misbehave(fault)  # before its first word
    say(
        "hello",
        protocol=1,
        codec=CODEC,
        workload="fake",
        schema=SCHEMA,
        compiler="none",
        operations=OPERATIONS,
        relays=fault != "cannot_relay",
        edits=fault in ("leaks", "fills", "fills_for_long", *LEAVES),
    )
    for n, (command, *words) in enumerate(commands):
        if n and where == command:
            misbehave(fault)
        options = {name[2:]: value for name, value in zip(words[::2], words[1::2], strict=True)}
        obey(command, options, fault, where)
    if where == "end":
        misbehave(fault)
    if fault != "no_done":
        say("done")
    if where == "after_done":
        misbehave(fault)


def split(body: bytes) -> list[bytes]:
    found = []
    while body:
        size = int.from_bytes(body[:4], "little")
        found.append(body[4 : 4 + size])
        body = body[4 + size :]
    return found


UNSTEADY = ("counts", "by_process")
"""Faults that add bytes to each message: how many were encoded before, or the number of the process."""


def unsteady(body: bytes, fault: str) -> bytes:
    """The messages of a body, each with the bytes that the fault adds."""
    added = [n if fault == "counts" else os.getpid() for n, _ in enumerate(split(body))]
    made = [m + struct.pack("<I", more) for m, more in zip(split(body), added, strict=True)]
    return b"".join(struct.pack("<I", len(m)) + m for m in made)


HARMFUL = b"\xff" * 12
"""Bytes that do harm to the runner when a message has them."""

UNCHECKED = {
    "checks_all": "",
    "checks_no_bounds": "bounds",
    "checks_no_end": "end",
    "checks_no_text": "text",
}
"""Fault → the check of decoding that the fault leaves out."""


def probe_checks(probed: list[bytes], unchecked: str) -> None:
    """Answers for each message whether it is accepted. A message has to consist of a length and exactly as
    many bytes of text, which have to be valid UTF-8. Without the check that ``unchecked`` names, a message
    that fails that check kills the process or is accepted; ``end`` is that as much text follows."""
    for n, message in enumerate(probed):
        whole = split_text(message)
        if unchecked == "end" and 4 < len(message) < 4 + int.from_bytes(message[:4], "little"):
            whole = message[4:]
        if whole is None and unchecked == "bounds":
            os.kill(os.getpid(), signal.SIGSEGV)
        accepted = whole is not None and (unchecked == "text" or is_text(whole))
        say("probed", message=n, accepted=accepted, **({} if accepted else {"reason": "refused"}))


def split_text(message: bytes) -> bytes | None:
    """The text of a message that consists of a length and as many bytes of text; None for any other
    message."""
    size = int.from_bytes(message[:4], "little") if len(message) >= 4 else 0
    return message[4:] if len(message) == 4 + size else None


def is_text(found: bytes) -> bool:
    try:
        found.decode()
    except UnicodeDecodeError:
        return False
    return True


def probe(probed: list[bytes], fault: str) -> None:
    """Refuses messages of less than two bytes; a message that contains ``HARMFUL`` does the harm that the
    fault names."""
    for n, message in enumerate(probed):
        harm = {}
        if HARMFUL in message:
            if fault == "dies" or (fault == "dies_beside" and len(probed) > 1):
                os.kill(os.getpid(), signal.SIGSEGV)
            elif fault == "falls_silent":
                time.sleep(600)
            elif fault.startswith("says_"):
                harm = {"harm": fault.removeprefix("says_")}
        refused = fault == "refuses_all" or len(message) < 2 or bool(harm)
        why = {"reason": "refused", "by": "adapter"} if refused else {}
        say("probed", message=n, accepted=not refused, **why, **harm)


def relay(options: dict[str, str], fault: str) -> None:
    """Writes each message as it came; the fault may lose or change something."""
    found = split(Path(options["encoded"]).read_bytes())
    if fault == "refuses_together" and len(found) > 1:
        say("error", message="one at a time")
        sys.exit(1)
    if fault == "cuts":
        found = [message[:-1] for message in found]
    if fault == "relays_stale" and options["memory"] == "reuse":  # a message is written as the one before
        found = [found[0], *found[:-1]]
    if fault == "relays_fewer":
        found = found[1:]
    Path(options["out"]).write_bytes(b"".join(struct.pack("<I", len(m)) + m for m in found))
    say("relayed", messages=len(found), bytes=sum(map(len, found)))


def calls(options: dict[str, str], fault: str, where: str) -> None:
    """Writes made-up times: two calls of 8 µs, then one of 10 µs, and so on; with ``stalls`` calls of 6.1 µs,
    of which one in a thousand takes 1 ms; ``odd_calls`` writes no such file, and ``short_window`` says that
    all of them took less than they did."""
    if where == "calls" and fault not in ("stalls", "odd_calls", "short_window"):
        misbehave(fault)
    count = int(options["calls"])
    times = [10_000 if n % 8 == 7 else 8000 for n in range(count)]
    if fault == "stalls":
        times = [1_000_000 if n % 1000 == 999 else 6100 for n in range(count)]
    header = struct.pack("<8sIIQ", b"SERBCALL", 1, 0, count)
    whole = header + b"".join(struct.pack("<Q", each) for each in times)
    Path(options["out"]).write_bytes(b"odd" if fault == "odd_calls" else whole)
    operation, _, memory = options["cell"].partition(":")
    told: dict[str, Any] = {"loading_ns": 5000, "preparing_ns": 7000, "clock_ns": 100, "resolution_ns": 10}
    told["elapsed_ns"] = sum(times) + (-1 if fault == "short_window" else 1000)
    if fault == "stalls":
        told |= {"collections": {"young": 2, "full": 1}, "collecting_ns": 100}
    say("called", operation=operation, memory=memory, calls=count, **told)


def obey(command: str, options: dict[str, str], fault: str, where: str) -> None:
    if command == "measure":
        measure(options, fault, where)
    elif command == "calls":
        calls(options, fault, where)
    elif command == "encode":
        body = messages(options["dataset"], header=True)
        Path(options["out"]).write_bytes(unsteady(body, fault) if fault in UNSTEADY else body)
        say("encoded")
    elif command == "decode":
        body = messages(options["encoded"], header=False)
        if fault == "stale" and options["memory"] == "reuse":  # a message shows the one before
            found = split(body)
            body = b"".join(struct.pack("<I", len(m)) + m for m in (found[0], *found[:-1]))
        Path(options["out"]).write_bytes(body[:-1] + bytes([body[-1] ^ 1]) if fault == "wrong" else body)
        say("decoded")
    elif command == "relay":
        relay(options, fault)
    elif command == "check":
        say("checked")
    elif command == "probe":
        probed = split(Path(options["encoded"]).read_bytes())
        if fault in UNCHECKED:
            probe_checks(probed, UNCHECKED[fault])
        else:
            probe(probed, fault)


if __name__ == "__main__":
    main()
