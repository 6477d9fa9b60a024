"""Buf's rules for breaking changes, asked of the changes that the rules of Protocol Buffers make."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.promised_protobuf import PROTOBUF
from tests.promises import Rule

from serbench.idl import emit
from serbench.model import Field, Record, Schema

BUF = shutil.which("buf")
"""The program; None where it is not installed."""

CATEGORIES = ("WIRE", "WIRE_JSON", "FILE")
"""The categories that are asked; each has rules that the ones before it lack."""

LEFT_OUT = {
    "ENUM_SAME_JSON_FORMAT": "it is about what the compiler checks",
    "ENUM_SAME_TYPE": "it is about open and closed enums, which are proto3's and proto2's",
    "ENUM_VALUE_NO_DELETE_UNLESS_NAME_RESERVED": "names that are removed are reserved here",
    "ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED": "numbers that are removed are reserved here",
    "FIELD_SAME_CPP_STRING_TYPE": "it is about generated code",
    "FIELD_SAME_DEFAULT": "proto3 has no defaults",
    "FIELD_SAME_JAVA_UTF8_VALIDATION": "proto3 always checks",
    "FIELD_SAME_JSTYPE": "it is about generated code",
    "FIELD_SAME_UTF8_VALIDATION": "proto3 always checks",
}
"""Rules of Buf for fields and enums that nothing is tried for → why not."""


def asked() -> dict[str, object]:
    """Buf's version, and for each rule of Protocol Buffers the rules of Buf that refuse its change, by
    category."""
    assert BUF
    version = subprocess.run([BUF, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return {"version": version, "refused": {rule.name: _refused(rule) for rule in PROTOBUF.rules}}


def _refused(rule: Rule) -> Mapping[str, list[str]]:
    return {category: _broken(rule, category) for category in CATEGORIES}


def _broken(rule: Rule, category: str) -> list[str]:
    """The rules of a category that a change breaks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, record in (("old", rule.old), ("new", rule.changed)):
            side = Path(folder) / name
            side.mkdir()
            schema = Schema("rule", Record("Promises", [Field("rule", record)]))
            (side / "messages.proto").write_text(emit("proto", schema))
            (side / "buf.yaml").write_text(f"version: v2\nbreaking:\n  use: [{category}]\n")
        words = ["breaking", "new", "--against", "old", "--error-format", "json"]
        done = subprocess.run([str(BUF), *words], capture_output=True, text=True, cwd=folder)
        assert done.returncode in (0, 100), done.stderr
        return sorted({json.loads(line)["type"] for line in done.stdout.splitlines()})
