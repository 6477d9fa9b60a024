"""Ten outcomes of changed schemas that surprise, each with a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Both = tuple[str, str]
"""The outcomes backward and forward; empty for a direction that is not tried."""


@dataclass(frozen=True)
class Surprise:
    """An outcome that surprises.

    Attributes:
        says: the outcome in a sentence.
        told: the outcome in particular, with its reason.
        source: a document, code or a thread that says so.
        outcomes: id of the variant, perhaps with a form → what was seen.
        rule: the format and the name of the rule by which it was seen; empty if by a change.
        change: the change of the workload ``small_struct`` by which it was seen.
    """

    says: str
    told: str
    source: str
    outcomes: Mapping[str, Both]
    rule: tuple[str, str] = ("", "")
    change: str = ""

    @property
    def command(self) -> str:
        """The command that shows it."""
        if not self.change:
            return f"./serbench test --all tests/test_promises.py -k {self.rule[1]}"
        codecs = " ".join(dict.fromkeys(f"-c {id.partition(':')[0]}" for id in self.outcomes))
        return f"./serbench verify --evolution -w small_struct --change {self.change} {codecs}"


SURPRISES = [
    Surprise(
        "Protocol Buffers: a number that became a string is an empty string, without an error.",
        "A field whose bytes have another wire type is taken for an unknown field: `12` is read as an empty "
        'string, and `"12"` as 0. prost refuses such bytes, and protobuf-es reads them as if they had the '
        "type of its schema, until they end.",
        "protocolbuffers/protobuf issue 16018; apple/swift-protobuf issue 342",
        {
            "cpp/protobuf:default": ("defaults", "defaults"),
            "go/protobuf:official": ("defaults", "defaults"),
            "jvm/protobuf_java": ("defaults", "defaults"),
            "javascript/protobufjs:static": ("defaults", "defaults"),
            "javascript/bufbuild": ("refused", "refused"),
            "rust/prost": ("refused", "refused"),
        },
        ("proto", "int32_string"),
    ),
    Surprise(
        "Protocol Buffers' JSON form: who adds a field breaks all old readers.",
        "Old readers ignore a new field in bytes, but refuse it in JSON, unless they ask to ignore unknown "
        "fields.",
        "protocolbuffers/protobuf issues 1202 and 1389",
        {"python/protobuf": ("kept", "kept"), "python/protobuf, JSON form": ("kept", "refused")},
        ("proto", "add_field"),
    ),
    Surprise(
        "Protocol Buffers' JSON form: a string that becomes bytes is read as base64.",
        "Buf's category WIRE lets it pass, and in bytes it is safe. In JSON the text `žluť` is read as one "
        "byte, without an error, since characters that are no base64 are skipped.",
        "ProtoJSON Format: bytes are a base64 string",
        {"python/protobuf": ("kept", "kept"), "python/protobuf, JSON form": ("misread", "misread")},
        ("proto", "string_bytes"),
    ),
    Surprise(
        "Buf's category WIRE lets a change pass that all libraries misread.",
        "A number that is given to another field of the same type looks like a new name for the old field. "
        "Only the categories with names (WIRE_JSON, PACKAGE and FILE) have the rule FIELD_SAME_NAME.",
        "Buf: Rules and categories, FIELD_SAME_NAME",
        dict.fromkeys(("cpp/protobuf:default", "go/protobuf:official", "rust/prost"), ("misread", "misread")),
        ("proto", "reuse_number"),
    ),
    Surprise(
        "Avro: a field with a default cannot be added for readers that have their own schema alone.",
        "Without the writer's schema, nothing tells that the field is missing: the reader takes the next "
        "bytes for it, or ends. With both schemas it is as the specification promises.",
        "fastavro/fastavro issues 826 and 550",
        {
            "python/fastavro": ("kept", "kept"),
            "python/fastavro, bytes alone": ("refused", "refused"),
        },
        ("avsc", "null_default"),
    ),
    Surprise(
        "Avro's own library for Python refuses changes that the specification allows.",
        "It promotes no string to bytes, wants the types of items to be equal, and reads no union as one of "
        "its branches. fastavro does all of it.",
        "apache/avro, lang/py/avro/schema.py: PrimitiveSchema.match, ArraySchema.match and MapSchema.match",
        {"python/avro": ("refused", "refused"), "python/fastavro": ("kept", "kept")},
        ("avsc", "string_bytes"),
    ),
    Surprise(
        "Thrift: a field that becomes wider is lost, without an error.",
        "Number and type together are the key of a field. So an i32 is no i64 with a small value, but a "
        "field that the reader does not know, and skips.",
        "Thrift: Scalable Cross-Language Services Implementation, section Versioning (doc/thrift.tex)",
        {"python/thrift:binary": ("defaults", "defaults"), "python/thrift:compact": ("defaults", "defaults")},
        ("thrift", "i32_i64"),
    ),
    Surprise(
        "FlatBuffers: a field that becomes wider takes its neighbour's bytes in.",
        "Nothing in a message tells how wide a field is: 7 with an 8 behind it is read as 34359738375.",
        "FlatBuffers: Evolution, Changing Types",
        {"python/flatbuffers:plain": ("misread", "kept")},
        ("fbs", "other_width"),
    ),
    Surprise(
        "Cap'n Proto in Go: in a list of text that became a list of structs, old readers find empty text.",
        "A list of text may become a list of structs that begin with a text. The library for Go looks for "
        "the text where the struct's numbers lie, without an error; the library for C++, and Python's around "
        "it, find it. Lists of bools, which may not become lists of structs, it reads as false, where the "
        "others refuse them.",
        "capnproto/go-capnp, list.go: List.primitiveElem gives the beginning of an element, and TextList.At "
        "reads a pointer there",
        {"go/capnproto:unpacked": ("kept", "defaults"), "python/pycapnp:unpacked": ("kept", "kept")},
        ("capnp", "list_of_text"),
    ),
    Surprise(
        "Go's encoding/json: a field whose name changes its case is read all the same.",
        "Names are matched whatever their case, if none is equal; the second edition of the library matches "
        "them exactly, and leaves the field empty, without an error.",
        "golang/go issue 14750",
        {
            "go/encoding_json": ("kept", "kept"),
            "go/json_v2:marshal": ("defaults", "defaults"),
            "go/json_v2:encoder": ("defaults", "defaults"),
        },
        change="rename=name:Name",
    ),
]
