"""A cell: a codec variant with a workload, loaded from the folder of generated code and the folder of the
codec."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serbench_runner.errors import Refused
from serbench_runner.origin import NO_LIBRARIES, origin_of

_METHODS = {
    "Encoder": ("encode", "build", "relay"),
    "Decoder": ("decode", "extract", "traverse", "walk", "decode_fast"),
}
"""Class of an adapter → its methods. The first method of each class is required."""


@dataclass(frozen=True)
class Cell:
    """A codec variant and a workload, with the functions of which operations are made.

    Attributes:
        codec, workload, schema: the names, and the SHA-256 of the schema.
        root: the type hint of a message.
        read: canonical bytes → domain object; ``write`` is the reverse.
        traverse: the sum over a domain object; ``walk`` is the sum over a graph, None for other data.
        encoder, decoder: the classes of the adapter; ``methods`` names the methods of their objects.
        is_floor: whether the codec is a floor, which leaves out build and extract.
        only_reads: whether the codec's library only reads.
        relays: whether the library can encode what it has decoded.
        origin: error → whose code raised it (``origin.py``).
    """

    codec: str
    workload: str
    schema: str
    root: Any
    read: Callable[[bytes], Any]
    write: Callable[[Any], bytes]
    traverse: Callable[[Any], int]
    walk: Callable[[Any], int] | None
    encoder: Any
    decoder: Any
    methods: frozenset[str]
    is_floor: bool
    only_reads: bool
    relays: bool
    origin: Callable[[BaseException], str]

    @property
    def builds(self) -> bool:
        """Whether the codec has native objects of its own, which ``build`` makes."""
        return "build" in self.methods

    @property
    def extracts(self) -> bool:
        """Whether decoding gives a view, from which domain objects are extracted."""
        return "extract" in self.methods

    def has(self, method: str) -> bool:
        """Whether the adapter has this optional method."""
        return method in self.methods

    @property
    def traverses(self) -> bool:
        return self.has("traverse") or not self.extracts

    @property
    def walks(self) -> bool:
        return self.walk is not None and (self.has("walk") or not self.extracts)

    def encoded_again(self, encoder: Any, view: Any) -> bytes:
        """The bytes that an encoder makes of what was decoded, without a domain object between where the
        library has objects of its own."""
        if self.has("relay"):
            data: bytes = encoder.relay(view)
        elif self.builds and not self.extracts:
            data = encoder.encode(encoder.build(view))
        else:
            data = encoder.encode(view)
        return data

    def offered(self) -> list[str]:
        """The names of the operations that the cell offers."""
        fast = self.has("decode_fast")
        offered = ["decode", "deserialize"]
        if not self.only_reads:
            offered += ["encode", "serialize", "roundtrip", "native_roundtrip"]
            offered += ["build"] if self.builds and not self.is_floor else []
        offered += ["decode_fast"] if fast else []
        offered += ["extract"] if self.extracts and not self.is_floor else []
        offered += ["read"] if not self.is_floor else []
        if self.traverses:
            offered += ["traverse", "decode_traverse"] + (["decode_fast_traverse"] if fast else [])
            offered += [] if self.only_reads else ["cycle"]
        if self.walks:
            offered += ["walk", "decode_walk"] + (["decode_fast_walk"] if fast else [])
        return offered


def load(generated: str, codec: str, libraries: str, writer_schema: str | None = None) -> Cell:
    """Loads a cell.

    Args:
        generated: the folder with the package ``cell``, which ``languages/python/sources.py`` writes.
        codec: the folder of ``adapter.py``.
        libraries: the folder of the packages that the codec needs, or ``NO_LIBRARIES``.
        writer_schema: the text of the schema by which messages were written, where that is another one than
            the cell's; adapters find it as ``cell.WRITER_SCHEMA``.

    Raises:
        Refused: the codec's module is not an adapter.
    """
    sys.path[:0] = [generated, *([] if libraries == NO_LIBRARIES else [libraries])]
    package: Any = importlib.import_module("cell")
    package.WRITER_SCHEMA = writer_schema
    domain = importlib.import_module("cell.domain")
    canonical = importlib.import_module("cell.canonical")
    adapter: Any = getattr(_adapter(Path(codec) / "adapter.py"), package.ADAPTER, None)
    methods: set[str] = set()
    for side, needed in _METHODS.items():
        made = getattr(adapter, side)() if hasattr(adapter, side) else None
        methods |= {name for name in needed if hasattr(made, name)}
        if needed[0] not in methods:
            raise Refused(
                f"{codec}/adapter.py: expected a class {package.ADAPTER} with a class {side} in it that has "
                f"a method {needed[0]}"
            )
    return Cell(
        codec=package.CODEC,
        workload=package.WORKLOAD,
        schema=package.SCHEMA,
        root=domain.Root,
        read=canonical.read,
        write=canonical.write,
        traverse=canonical.traverse,
        walk=getattr(canonical, "walk", None),
        encoder=adapter.Encoder,
        decoder=adapter.Decoder,
        methods=frozenset(methods),
        is_floor=getattr(adapter, "is_floor", False) is True,
        only_reads=getattr(adapter, "only_reads", False) is True,
        relays=not getattr(adapter, "only_reads", False) and getattr(adapter, "relays", True) is True,
        origin=origin_of(generated, codec, libraries),
    )


def _adapter(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("cell.adapter", path)
    if spec is None or spec.loader is None:
        raise Refused(f"{path} is no module of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
