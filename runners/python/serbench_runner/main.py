"""Runs the commands of docs/protocol.md."""

from __future__ import annotations

import gc
import platform
import random
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from serbench_runner.arguments import Arguments, parse, policy, writer_schema
from serbench_runner.cell import Cell, load
from serbench_runner.edits import Edits
from serbench_runner.errors import Refused, Suspected, kind_of, told
from serbench_runner.exact import require_exact
from serbench_runner.files import read_dataset, read_messages, write_messages
from serbench_runner.inputs import Inputs
from serbench_runner.isolated import Outcome, answered, isolated, limit_memory
from serbench_runner.left import Left
from serbench_runner.loops import Batch, Operation, compiled, operation_of
from serbench_runner.output import Output
from serbench_runner.processes import sample_together
from serbench_runner.sampler import Sampler, Watch
from serbench_runner.single_calls import time_calls
from serbench_runner.unseen import check_unseen
from serbench_runner.usage import count_threads, now_ns
from serbench_runner.watching import Watching

PROTOCOL = 1
_FRAMES = 10_000
"""The limit on nested calls in Python: each of a thousand steps of recursion takes a few such calls."""

_STACK = 64 << 20
"""The bytes of stack that libraries written in C may need for as many nested calls."""

_EXACT = 1000
"""The number of decoded messages that are checked against their types, part by part."""

_MOST_PROBED = 2 << 30
"""The most bytes of memory that the process may have while it decodes hostile messages."""


TakeSamples = Callable[[Sampler, Cell, Operation, list[Any], Watch | None], Iterator[dict[str, Any]]]
"""A function that takes samples of an operation over messages, and yields the fields of each as it is
taken."""


def by_ours(
    sampler: Sampler, cell: Cell, operation: Operation, messages: list[Any], watch: Watch | None
) -> Iterator[dict[str, Any]]:
    """Yields the fields of the samples that our own sampler takes."""
    return sampler.sample(compiled(cell, operation, messages), watch)


def silent(output: Output) -> None:
    """Prints nothing: the ``afterword`` of ``main`` unless another one is given."""


def main(
    words: Sequence[str], take: TakeSamples = by_ours, afterword: Callable[[Output], None] = silent
) -> int:
    """Runs the commands; returns the exit status of the process. ``take`` takes the samples; ``afterword`` is
    called at the end if there was no error."""
    sys.setrecursionlimit(_FRAMES)
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft not in (resource.RLIM_INFINITY, hard) and soft < _STACK:
        most = _STACK if hard == resource.RLIM_INFINITY else min(_STACK, hard)
        resource.setrlimit(
            resource.RLIMIT_STACK, (most, hard)
        )  # the stack of the first thread grows up to it
    return _run(words, take, afterword)


def _run(words: Sequence[str], take: TakeSamples, afterword: Callable[[Output], None]) -> int:
    output = Output()
    begin = now_ns()
    runner: _Runner | None = None
    try:
        if len(words) < 3:
            raise Refused("no cell; expected the folders of a cell, a codec and its libraries")
        written, own = writer_schema(words[3:])
        commands = parse(own)
        generated, codec, libraries = words[:3]
        runner = _Runner(load(generated, codec, libraries, written), output, take)
        runner.greet()
        for each in commands:
            runner.obey(each)
        if text := output.printed():
            raise Refused(f"something else than the runner printed on standard output: {text}")
    except Exception as error:
        traceback.print_exc()
        suspected = {"suspected": error.cell} if isinstance(error, Suspected) else {}
        by = runner.cell.origin(error) if runner else ""
        output.say("error", message=told(error), kind=kind_of(error), by=by, **suspected)
        return 1
    output.say("done", elapsed_ns=now_ns() - begin)
    afterword(output)
    return 0


class _Runner:
    def __init__(self, cell: Cell, output: Output, take: TakeSamples):
        self.cell, self.output, self.take = cell, output, take
        self._loaded: tuple[str, list[bytes], Inputs] | None = None

    def greet(self) -> None:
        self.output.say(
            "hello",
            protocol=PROTOCOL,
            codec=self.cell.codec,
            workload=self.cell.workload,
            schema=self.cell.schema,
            compiler=f"{platform.python_implementation()} {platform.python_version()}",
            edits=True,
            floor=self.cell.is_floor,
            relays=self.cell.relays,
            operations=self.cell.offered(),
        )

    def obey(self, arguments: Arguments) -> None:
        match arguments.command:
            case "measure":
                self.measure(arguments)
            case "calls":
                self.calls(arguments)
            case "encode":
                self.encode(arguments)
            case "decode":
                self.decode(arguments)
            case "relay":
                self.relay(arguments)
            case "probe":
                self.probe(arguments)
            case "check":
                self.check(arguments)

    def load(self, arguments: Arguments) -> tuple[list[bytes], Inputs]:
        """The canonical bytes of a dataset, and its messages as inputs; the last dataset is kept, and not
        read again, unless it got the bytes of another program."""
        path = arguments.get("dataset")
        if self._loaded is None or self._loaded[0] != path:
            canonical = read_dataset(path, self.cell.schema)
            inputs = Inputs(self.cell, canonical, random.Random(arguments.place))
            self._loaded = path, canonical, inputs
        _, canonical, inputs = self._loaded
        if file := arguments.get("encoded", ""):
            self._loaded = None
            path = arguments.get("edits", "")
            edits = len(Edits(path, canonical)) if path else 0
            bodies = read_messages(file)
            if len(bodies) != len(canonical) + edits:
                raise Refused(
                    f"{file} has {len(bodies)} bodies; expected one for each of {len(canonical)} messages "
                    f"and {edits} edits"
                )
            inputs.give(bodies)
        return canonical, inputs

    def measure(self, arguments: Arguments) -> None:
        canonical, inputs = self.load(arguments)
        sampler = Sampler(
            sample_ns=arguments.number("sample-ns", 10_000_000),
            samples=arguments.number("samples", 3),
            iterations=arguments.number("iterations", 0),
        )
        watching, draws = None, random.Random(arguments.place + 1)
        if path := arguments.get("edits", ""):
            arguments.get("place")  # edits are drawn by it, so it must be there
            edits = Edits(path, canonical, inputs.are_given, arguments.place)
            left = Left(arguments.get("left"))
            watching = Watching(self.cell, inputs, edits, draws, left) if edits else None
        together = arguments.number("threads", 0)
        for cell in arguments.get("cells").split(","):
            operation, colon, memory = cell.partition(":")
            if not colon:
                raise Refused(f"found cell '{cell}', expected OPERATION:MEMORY")
            self._sample(operation, policy(memory), sampler, inputs, watching, draws, together)
        self._loaded = None  # its values have changed
        check_threads()

    def calls(self, arguments: Arguments) -> None:
        begun = now_ns()
        _, inputs = self.load(arguments)
        self.output.say("called", **time_calls(arguments, self.cell, inputs, now_ns() - begun))

    def _sample(
        self,
        asked: str,
        memory: str,
        sampler: Sampler,
        inputs: Inputs,
        watching: Watching | None,
        draws: random.Random,
        together: int = 0,
    ) -> None:
        """Says the samples of an operation; with ``together``, those of so many processes at once."""
        operation = operation_of(self.cell, asked, memory)
        start = operation.starts_from
        messages = inputs.passed(start)
        # The collector does not look at the data again and again, as in a program that has just been loaded.
        gc.collect()
        gc.freeze()
        watch = None
        if watching:
            watch = Watch(
                renew=lambda shifts: watching.renew(start, shifts),
                shift=lambda: watching.shift(start),
                write_down=lambda result: watching.write_down(f"{asked}:{memory}", operation, result),
                draws=draws,
            )
        if together:

            def ready() -> tuple[Batch, Watch | None]:
                return compiled(self.cell, operation, messages), watch

            for fields in sample_together(sampler, together, ready):
                self.output.say("sample", operation=asked, memory=memory, threads=together, **fields)
            return
        for fields in self.take(sampler, self.cell, operation, messages, watch):
            self.output.say("sample", operation=asked, memory=memory, **fields)
        if watching:
            check_unseen(self.cell, operation, f"{asked}:{memory}", watching, inputs)

    def encode(self, arguments: Arguments) -> None:
        _, inputs = self.load(arguments)
        operation = (
            operation_of(self.cell, "serialize", arguments.memory) if not self.cell.only_reads else None
        )

        def encoded() -> Iterator[bytes]:
            if operation is None or self.cell.is_floor:
                yield from map(inputs.encode, inputs.roots)
                return
            one: list[Any] = []
            batch = compiled(self.cell, operation, one)
            for root in inputs.roots:
                one[:] = [root]
                yield bytes(batch(1))

        count, size = write_messages(arguments.get("out"), encoded())
        self.output.say("encoded", messages=count, bytes=size)

    def decode(self, arguments: Arguments) -> None:
        decode = self._decoding(arguments.get("operation", "decode"), arguments.memory)

        def decoded() -> Iterator[bytes]:
            for n, message in enumerate(read_messages(arguments.get("encoded"))):
                root = decode(message)
                if n < _EXACT:
                    require_exact(root, self.cell.root, f"message {n}")
                yield self.cell.write(root)

        count, _ = write_messages(arguments.get("out"), decoded())
        self.output.say("decoded", messages=count)

    def relay(self, arguments: Arguments) -> None:
        if not self.cell.relays:
            raise Refused("its view cannot be encoded again")
        is_fresh = arguments.memory == "fresh"

        def relayed() -> Iterator[bytes]:
            encoder, decoder = self.cell.encoder(), self.cell.decoder()
            for message in read_messages(arguments.get("encoded")):
                if is_fresh:
                    encoder, decoder = self.cell.encoder(), self.cell.decoder()
                yield self.cell.encoded_again(encoder, decoder.decode(message))

        count, size = write_messages(arguments.get("out"), relayed())
        self.output.say("relayed", messages=count, bytes=size)

    def _decoding(self, name: str, memory: str) -> Any:
        """A function that decodes bytes to a domain object, by one pass of the same loop that is timed."""
        if name not in ("decode", "decode_fast"):
            raise Refused(f"found operation '{name}', expected decode or decode_fast")
        cell, one = self.cell, list[Any]()
        if name == "decode" and not cell.is_floor:
            batch = compiled(cell, operation_of(cell, "deserialize", memory), one)
        else:
            batch = compiled(cell, operation_of(cell, name, memory), one)
        extracts = cell.extracts and (name != "decode" or cell.is_floor)
        decoder = cell.decoder()

        def decode(message: bytes) -> Any:
            one[:] = [message]
            result = batch(1)
            one.clear()
            return decoder.extract(result) if extracts else result

        return decode

    def probe(self, arguments: Arguments) -> None:
        decode = self._decoding("decode", "fresh")
        limit_ms = arguments.number("limit-ms", 0)
        if not limit_ms:
            limit_memory(_MOST_PROBED)
        for n, message in enumerate(read_messages(arguments.get("encoded"))):
            outcome = self._probed(decode, message, limit_ms)
            said = {name: text for name, text in asdict(outcome).items() if text != ""}
            self.output.say("probed", message=n, **said)

    def _probed(self, decode: Any, message: bytes, limit_ms: int) -> Outcome:
        """The outcome of decoding a message. The decoded value is not looked at, since that would be a check
        by the runner, not by the codec."""
        if limit_ms:
            return isolated(lambda: decode(message), self.cell.origin, limit_ms)
        return answered(lambda: decode(message), self.cell.origin)

    def check(self, arguments: Arguments) -> None:
        canonical, inputs = self.load(arguments)
        roots = inputs.roots
        for n in range(1, 0 if inputs.are_given else len(roots)):
            if canonical[n - 1] == canonical[n]:
                continue
            before, after, again = (inputs.encode(roots[each]) for each in (n - 1, n, n - 1))
            if before == after:
                raise Refused(f"messages {n - 1} and {n} differ, but were encoded to the same bytes")
            if len(before) != len(again):
                raise Refused(f"message {n - 1} was encoded to {len(before)} bytes and then to {len(again)}")
        if self.cell.has("traverse"):
            self._check_reading(inputs)
        self.output.say("checked", messages=len(roots))

    def _check_reading(self, inputs: Inputs) -> None:
        """Checks that sums over the library's own objects equal those over the domain objects that are
        extracted from them."""
        cell, decoder = self.cell, self.cell.decoder()
        for n, view in enumerate(inputs.get("views")):
            root = decoder.extract(view)  # not the domain object: a lossy codec may have rounded
            _require_equal("traverse", n, decoder.traverse(view), cell.traverse(root))
            if cell.walk and cell.has("walk"):
                _require_equal("walk", n, decoder.walk(view), cell.walk(root))


def _require_equal(name: str, message: int, found: int, expected: int) -> None:
    if found != expected:
        raise Refused(
            f"{name} of message {message} gives {found}, expected {expected}: it does not read what the "
            "message holds"
        )


def check_threads() -> None:
    """Raises Refused if threads of the codec work while no operation runs, since no sample would contain
    their work. A library that only has something to finish is waited for."""
    pause_s, quiet_looks, most_work_ns, most_looks = 0.002, 5, 100_000_000, 250
    worked = quiet = looks = 0
    begin = now_ns()
    while quiet < quiet_looks and count_threads() > 1:
        before = time.process_time_ns()
        time.sleep(pause_s)
        spent = time.process_time_ns() - before
        looks += 1
        if spent <= pause_s * 1e9 / 2:
            quiet += 1
            continue
        worked += spent
        if worked > most_work_ns or looks >= most_looks:
            raise Refused(
                f"of the {count_threads()} threads of this process, some are still at work when no operation "
                f"runs: they took {worked // 1000} microseconds of {(now_ns() - begin) // 1000}"
            )
