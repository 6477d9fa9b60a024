"""The JSON form of Protocol Buffers: what a program of another schema reads of it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool

from serbench.errors import RunnerError
from serbench.idl import emit
from serbench.measure.unit import Unit
from serbench.model import Schema
from serbench.verification import processes
from serbench.verification.contract import encoded_by

REFUSED = "the JSON form is refused: "


@cache
def message_class(schema: Schema) -> Any:
    """The class for messages of a schema's root, by the official library."""
    with tempfile.TemporaryDirectory() as folder:
        text, compiled = Path(folder) / "messages.proto", Path(folder) / "compiled"
        text.write_text(emit("proto", schema))
        protoc = [
            sys.executable,
            "-m",
            "grpc_tools.protoc",
            f"-I{folder}",
            f"--descriptor_set_out={compiled}",
        ]
        subprocess.run([*protoc, str(text)], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes())
    pool = DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"serbench.pb.{schema.root.name}"))


@contextmanager
def through_json(writer: Unit, reader: Unit) -> Iterator[None]:
    """Has ``evolve`` hand messages over in the JSON form, which the library writes with the writer's schema
    and reads with the reader's. Where it refuses to read it, nothing is handed over, and ``evolve`` tells the
    error, which begins with ``REFUSED``."""
    source = message_class(writer.spec.workload.schema)
    target = message_class(reader.spec.workload.schema)

    def encoded(unit: Unit, canonical: Sequence[bytes]) -> list[bytes]:
        found = []
        for message in encoded_by(unit, canonical):
            text = json_format.MessageToJson(source.FromString(message))
            try:
                found.append(json_format.Parse(text, target()).SerializeToString())
            except json_format.ParseError as error:
                raise RunnerError(f"{REFUSED}{error}") from error
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "encoded_by", encoded)
        yield
