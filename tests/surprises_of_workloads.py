"""Thirteen outcomes of changed workloads that surprise, each with a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Surprise:
    """An outcome that surprises.

    Attributes:
        says: the outcome in a sentence.
        told: the outcome in particular, with its reason.
        source: a document, code or a thread that says so.
        workload, change: where it was seen.
        cells: codec variant → the signs of all directions.
    """

    says: str
    told: str
    source: str
    workload: str
    change: str
    cells: Mapping[str, str]


SURPRISES = [
    Surprise(
        "Protocol Buffers: a list that may be absent has one item for old programs.",
        "A list cannot be absent, so a message has to stand around it. An old program takes that message for "
        "an item of its list, since a message and an item are both a number with bytes behind it: an empty "
        "list becomes one monster, and two monsters become one when it writes again.",
        "Protocol Buffers, Field Presence: repeated fields do not track presence",
        "monsters",
        "optional=monsters",
        {"python/protobuf": "○!!"},
    ),
    Surprise(
        "Protocol Buffers: a proxy makes one item of two, although it knows nothing of the change.",
        "Where each item becomes a list of items, an old program finds several values for a field that has "
        "one. It merges them, and writes a single one.",
        "Protocol Buffers, Encoding: Last One Wins",
        "monsters",
        "list=monsters[]",
        {"python/protobuf": "○○!"},
    ),
    Surprise(
        "Protocol Buffers: an int32 that becomes a sint32 is another number, without an error.",
        "32767 is read as -16384 by new programs, and 1 as 2 by old ones. In all languages both are the same "
        "type, so no code looks different.",
        "Protocol Buffers, Language Guide (proto 3): Updating A Message Type",
        "monsters",
        "hint=monsters[].mana:sint32",
        {"python/protobuf": "!!✓"},
    ),
    Surprise(
        "Cap'n Proto: a number that becomes wider swallows its neighbour.",
        "32767 with a 1 behind it is read as 98303, and the old program finds its next field overwritten. A "
        "proxy does no harm, since it copies the whole struct.",
        "capnproto/capnproto, doc/language.md, Evolving Your Protocol: any change that is not listed is not "
        "safe",
        "monsters",
        "widen=monsters[].mana:i32",
        {"python/pycapnp:unpacked": "!!✓"},
    ),
    Surprise(
        "Cap'n Proto: text that becomes bytes is longer by one.",
        "The NUL behind a text is part of its size in a message, and only readers of texts take it away. The "
        "other way round, bytes without a NUL behind them are no text.",
        "capnproto/capnproto, doc/encoding.md, Blobs",
        "monsters",
        "retype=monsters[].name:utf8",
        {"python/pycapnp:unpacked": "!✗✓"},
    ),
    Surprise(
        "Thrift in Python: an old program destroys bytes that it hands on.",
        "A string that becomes binary is the same on the wire. The old program decodes it as UTF-8 all the "
        "same, puts U+FFFD in place of each byte that is none, and writes these.",
        "apache/thrift pull request 2269 (THRIFT-5303)",
        "monsters",
        "retype=monsters[].name:utf8",
        {"python/thrift:binary": "✓✓!"},
    ),
    Surprise(
        "Protocol Buffers: whether a proxy keeps a new field depends on its language.",
        "Libraries for C, Go and Python keep what they do not know. protobuf.js discards it unless it is "
        "told otherwise, as Thrift's libraries always do. In JavaScript, JSON, BSON, CBOR and MessagePack "
        "keep it, since their objects have whatever the message has.",
        "protobufjs/protobuf.js issue 775 and pull requests 2209 and 2310",
        "monsters",
        "add=added:string",
        {
            "javascript/protobufjs:static": "✓✓○",
            "go/protobuf:official": "✓✓✓",
            "python/thrift:binary": "✓✓○",
            "javascript/cbor_x": "✓✓✓",
        },
    ),
    Surprise(
        "Python's pickle: not even an optional field can be added.",
        "An object is restored without its class's `__init__`, so the new field is not there, and whoever "
        "looks at it gets an AttributeError; an old class with slots has no place for it.",
        "pydantic/pydantic issue 9511; Python, pickle: Pickling Class Instances",
        "monsters",
        "add=added:string",
        {"python/pickle:dataclass": "✗a✗✗"},
    ),
    Surprise(
        "FlatBuffers: a number that becomes a text is read as the text's distance.",
        "Old programs find no error: 103 is 176. New programs follow the number as if it were a distance, "
        "and are lucky where it leads out of the message.",
        "google/flatbuffers, docs/source/evolution.md: Changing Types",
        "monsters",
        "text=monsters[].mana",
        {"python/flatbuffers:plain": "✗!–"},
    ),
    Surprise(
        "Go's encoding/gob: a new name is an error or an empty list, by what else the record has.",
        "Fields that only one side has are left out without a word, and so is one with a new name. But where "
        "no field is left that both have, as in a record of one field, it is an error: no fields matched.",
        "golang/go, src/encoding/gob/decode.go: decodeValue",
        "monsters",
        "rename=monsters:monsters_renamed",
        {"go/gob": "✗✗✗", "go/encoding_json": "○○○"},
    ),
    Surprise(
        "Avro in Python and JavaScript: with a change anywhere else, bytes in a union become text.",
        "Where schemas differ, fastavro and avsc take the first alternative of the reader's union to which "
        "the value can be promoted, as the specification has it, and bytes can become a string. An attribute "
        "of a span is a text before it is bytes. Between equal schemas, fastavro resolves nothing, and bytes "
        "stay bytes.",
        "Apache Avro, Specification, Schema Resolution; fastavro/fastavro, fastavro/_read.pyx: match_types; "
        "mtth/avsc, lib/types.js: UnwrappedUnionType",
        "telemetry",
        "add=added:string",
        {"python/fastavro": "!!!", "javascript/avsc:default": "!!!"},
    ),
    Surprise(
        "Avro in Go (hamba/avro): where a type refers to itself, any change ends the program.",
        "Where schemas differ, one is made of both, and this follows a type into itself without an end: Go "
        "ends the process, which no caller can prevent. An attribute of a span may be a list of attributes; "
        "monsters do not refer to monsters. Between equal schemas nothing has to be made.",
        "hamba/avro 2.31.0, schema_compatibility.go: resolve and resolveRecord, which, unlike match, do not "
        "remember where they have been",
        "telemetry",
        "add=added:string",
        {"go/hamba_avro": "†††"},
    ),
    Surprise(
        "Avro in C: what cannot be resolved inside a list ends the program.",
        "The library says that the writer has not the reader's field where both are at the root. In a record "
        "inside a list, it goes on with a null pointer, and the process dies. A default is no help, since "
        "it uses none. New programs have fewer fields here, and read everything.",
        "apache/avro 1.11.1, lang/c/src/resolved-writer.c; the library alone does so for a list of records "
        "with two fields, of which the writer has one",
        "telemetry",
        "drop=resources[].scopes[].spans[].parent_span_id",
        {"cpp/avro_c": "✓††"},
    ),
]
