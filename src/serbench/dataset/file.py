"""Dataset files: messages of one root record in the canonical encoding, behind a header that describes them.

Layout, little-endian (``docs/protocol.md`` has it for authors of runners)::

    magic          8 bytes  "SERBENCH"
    version        u32      1
    header_bytes   u32      length of the JSON header
    messages       u64
    body_bytes     u64
    body_sha256    32 bytes
    schema_sha256  32 bytes
    header         JSON, UTF-8: workload, parameters, schema
    body           per message: u32 length and the canonical bytes
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from serbench.dataset.canonical import encode
from serbench.errors import DatasetError, FileError, SchemaError, ValueMismatch
from serbench.model import Schema
from serbench.system.files import FileName, Name, parse_json, read_bytes
from serbench.system.whole import file_for

MAGIC = b"SERBENCH"
VERSION = 1
_FIXED = struct.Struct("<8sIIQQ32s32s")
_LENGTH = struct.Struct("<I")
ORIGIN = "origin"
"""The parameter in a dataset's header that tells whether imported messages are real, synthetic or a twin, as
the ``kind`` of an ``Origin``; other datasets have no such parameter."""

MAX_MESSAGE_BYTES = (1 << 32) - 1
MOST_BYTES = 1 << 40


class Header(msgspec.Struct, kw_only=True):
    """The JSON header of a dataset file; ``schema`` is in the form that ``Schema.from_json`` reads."""

    workload: FileName
    parameters: dict[Name, Any]
    schema: dict[str, Any]


@dataclass(frozen=True)
class Dataset:
    """A dataset file whose size and digest have been checked.

    Attributes:
        body_bytes: the size of the body: the canonical bytes of all messages and their length prefixes.
        sha256: the digest of the body, in hexadecimal.
        header: the workload and parameters that made it, and its schema.
    """

    path: Path
    messages: int
    body_bytes: int
    sha256: str
    header: Header

    @property
    def canonical_bytes(self) -> int:
        """The number of canonical bytes of all messages, without length prefixes."""
        return self.body_bytes - _LENGTH.size * self.messages

    @property
    def is_private(self) -> bool:
        """Whether the data are a user's own, so that no error or note may show their values."""
        return self.header.parameters.get(ORIGIN) == "data"

    def schema(self) -> Schema:
        """Return the schema of the messages; raise SchemaError if the header declares none."""
        return self._schema

    @cached_property
    def _schema(self) -> Schema:  # kept, since verification asks for it with each look, and types may be many
        return Schema.from_json(self.header.schema)

    def body(self) -> bytes:
        """Return the length-prefixed messages."""
        with self.path.open("rb") as file:
            file.seek(-self.body_bytes, os.SEEK_END)
            return file.read()

    def read_messages(self) -> Iterator[memoryview]:
        """Yield the canonical bytes of each message."""
        return split_messages(self.body())


def split_messages(body: bytes | memoryview) -> Iterator[memoryview]:
    """Yield the messages in length-prefixed bytes; raise DatasetError if a length goes beyond their end."""
    view, at = memoryview(body), 0
    while at < len(view):
        if at + _LENGTH.size > len(view):
            raise DatasetError(f"a message's length is cut off at byte {at} of {len(view)}")
        (length,) = _LENGTH.unpack_from(view, at)
        at += _LENGTH.size
        if at + length > len(view):
            raise DatasetError(f"message at byte {at}: length {length}, but {len(view) - at} bytes are left")
        yield view[at : at + length]
        at += length


def join_messages(messages: Iterable[bytes]) -> bytes:
    """Return ``messages``, each behind its length; raise DatasetError if one is longer than the format
    allows."""
    body = bytearray()
    for message in messages:
        if len(message) > MAX_MESSAGE_BYTES:
            raise DatasetError(
                f"a message has {len(message)} bytes; the format allows at most {MAX_MESSAGE_BYTES}"
            )
        body += _LENGTH.pack(len(message))
        body += message
    return bytes(body)


def write_dataset(
    directory: Path, workload: str, parameters: dict[str, Any], schema: Schema, values: Iterable[Any]
) -> Dataset:
    """Encode ``values`` of the schema's root into a file in ``directory``, which is named by its digest.
    Raise DatasetError where there is no value, or one does not fit the root's type."""
    return write_messages(directory, workload, parameters, schema, _encoded(workload, schema, values))


def _encoded(workload: str, schema: Schema, values: Iterable[Any]) -> Iterator[bytes]:
    for number, value in enumerate(values):
        try:
            yield encode(schema.root, value)
        except ValueMismatch as error:
            raise DatasetError(f"workload {workload}, message {number}, {error}") from error


def write_messages(
    directory: Path, workload: str, parameters: dict[str, Any], schema: Schema, messages: Iterable[bytes]
) -> Dataset:
    """Write canonical messages of the schema's root into a file in ``directory``, which is named by its
    digest. A few are written at a time, so that not all need to be in memory."""
    header = Header(workload=workload, parameters=parameters, schema=schema.to_json())
    text = json.dumps(msgspec.structs.asdict(header), separators=(",", ":")).encode()
    digest, count, size = hashlib.sha256(), 0, 0
    with file_for(directory) as file:
        file.write(bytes(_FIXED.size) + text)
        for few in _few(messages):
            framed = join_messages(few)
            file.write(framed)
            digest.update(framed)
            count, size = count + len(few), size + len(framed)
        if not count:
            raise DatasetError(
                f"workload {workload} with {parameters} generated no messages; expected at least one"
            )
        fixed = _FIXED.pack(
            MAGIC, VERSION, len(text), count, size, digest.digest(), bytes.fromhex(schema.digest())
        )
        file.write_at_the_beginning(fixed)
        name = _file_name(workload, fixed + text)
        file.becomes(name)
    return Dataset(directory / name, count, size, digest.hexdigest(), header)


def _few(messages: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield all messages, about a MiB of them at a time."""
    few: list[bytes] = []
    size = 0
    for message in messages:
        few.append(message)
        size += len(message) + _LENGTH.size
        if size >= 1 << 20:
            yield few
            few, size = [], 0
    if few:
        yield few


def read_dataset(
    path: Path,
    named_by_digest: bool = False,
    remedy: str = "delete the file and run again; it will be regenerated",
) -> Dataset:
    """Open a dataset file and check its size and digests; raise DatasetError where it cannot be read or was
    altered. With ``named_by_digest``, its header is checked too, by the file's name; ``remedy`` is what the
    error advises to do."""
    try:
        data = memoryview(read_bytes(path, "dataset", MOST_BYTES))
    except FileError as error:
        raise DatasetError(f"{error}; {remedy}") from error
    if len(data) < _FIXED.size:
        raise DatasetError(
            f"dataset {path} is truncated: {len(data)} bytes, but its header alone takes "
            f"{_FIXED.size}; {remedy}"
        )
    magic, version, header_bytes, messages, body_bytes, body_sha, schema_sha = _FIXED.unpack_from(data)
    if magic != MAGIC:
        raise DatasetError(f"{path} is not a dataset file: it begins with {magic!r}, not {MAGIC!r}; {remedy}")
    if version != VERSION:
        raise DatasetError(
            f"dataset {path} has version {version}; this serbench reads version {VERSION}; {remedy}"
        )
    begin = _FIXED.size + header_bytes
    body = data[begin:]
    found = hashlib.sha256(body).hexdigest()
    if len(data) != begin + body_bytes:
        state = "truncated" if len(data) < begin + body_bytes else "too long"
        raise DatasetError(
            f"dataset {path} is {state}: {len(data)} bytes, expected {begin + body_bytes}; "
            f"its digest is {found}, expected {body_sha.hex()}; {remedy}"
        )

    def altered(how: str) -> DatasetError:
        return DatasetError(f"dataset {path} was altered: {how}; {remedy}")

    if found != body_sha.hex():
        raise altered(f"its digest is {found}, expected {body_sha.hex()}")
    try:
        header = parse_json(bytes(data[_FIXED.size : begin]), Header, str(path), "header of the dataset")
        schema = Schema.from_json(header.schema)
    except (FileError, SchemaError) as error:
        raise altered(f"its header is not readable ({error})") from error
    if schema.digest() != schema_sha.hex():
        raise altered(f"its schema does not match its digest {schema_sha.hex()}")
    try:
        count = sum(1 for _ in split_messages(body))
    except DatasetError as error:
        raise altered(str(error)) from error
    if count != messages:
        raise altered(f"its header says {messages} messages, which it does not contain")
    name = _file_name(header.workload, bytes(data[:begin]))
    if named_by_digest and path.name != name:
        raise altered(f"its header says it is {name}")
    return Dataset(path, messages, body_bytes, found, header)


def write_like(directory: Path, like: Dataset, messages: Iterable[bytes]) -> Dataset:
    """Write ``messages`` (canonical bytes) into a new dataset file with the workload, parameters and schema
    of the dataset ``like``."""
    return write_messages(directory, like.header.workload, like.header.parameters, like.schema(), messages)


def spread(dataset: Dataset, most_bytes: int) -> list[bytes]:
    """Return messages from all parts of a dataset, evenly spread, in canonical bytes: at most about
    ``most_bytes``, apart from the first one."""
    step = -(-dataset.canonical_bytes // most_bytes)
    return [bytes(message) for message in islice(dataset.read_messages(), 0, None, step)]


def _file_name(workload: str, header: bytes) -> str:
    # The name is made from the header: it holds the body's digest, and it differs where two schemas give the
    # same body.
    return f"{workload}-{hashlib.sha256(header).hexdigest()[:32]}.dataset"
