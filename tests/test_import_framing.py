"""Tests of finding out by trial how messages follow one another in data."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.protobuf_messages import drawn, message_class, stream
from tests.test_import_proto import SHOP
from tests.test_import_round import need

from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.protobuf.data import framed

ORDER = 'id: 7 note: "one of many" lines { count: 3 sizes: 5 }'


def prefixed(form: str, messages: Sequence[Any]) -> bytes:
    written = (each.SerializeToString(deterministic=True) for each in messages)
    return b"".join(struct.pack(form, len(data)) + data for data in written)


@pytest.fixture
def order(tmp_path: Path) -> Any:
    (tmp_path / "shop.proto").write_text(SHOP)
    return message_class(tmp_path / "shop.proto", "shop.v1.Order")


def read(folder: Path, *data: bytes, name: str = "data{}.bin", framing: str = "") -> Imported:
    files = []
    for number, each in enumerate(data):
        files.append(folder / name.format(number))
        files[-1].write_bytes(each)
    return formats()["proto"].read(
        Request((folder / "shop.proto",), tuple(files), root="Order", framing=framing)
    )


def refusal(folder: Path, *data: bytes, **asked: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, *data, **asked)
    return str(caught.value).replace(f"{folder}/", "")


def values(imported: Imported) -> list[Any]:
    assert imported.values
    return list(imported.values())


def taken(imported: Imported) -> str:
    (note,) = imported.notes
    assert ": taken as --framing " in note and ", found by trying: each" in note
    return note.partition("--framing ")[2].partition(",")[0]


def test_each_framing_of_protocol_buffers_is_found(order: Any, tmp_path: Path) -> None:
    messages = [drawn(order, random.Random(number)) for number in range(150)]
    written = [each.SerializeToString(deterministic=True) for each in messages]
    lines = "".join(json.dumps({"id": str(number), "note": "x"}) + "\n" for number in range(3)).encode()
    for data, framing in (
        ([stream(messages)], "delimited"),
        ([stream(messages[:75]), stream(messages[75:])], "delimited"),
        (written, "one"),
        ([*written, b""], "one"),
        ([written[0]], "one"),
        ([prefixed("<I", messages)], "u32-le"),
        ([prefixed(">xI", [each for each in messages if each.ByteSize() > 127])], "grpc"),
        ([prefixed(">I", [each for each in messages if each.ByteSize() > 127])], "u32-be"),
        ([ORDER.encode()], "text"),
        ([b'{"id": "7",\n "note": "x"}'], "json"),
        ([lines], "json-lines"),
    ):
        imported = read(tmp_path, *data)
        assert taken(imported) == framing
        assert values(imported) == values(read(tmp_path, *data, framing=framing))
    assert taken(read(tmp_path, lines, name="{}.json")) == "json-lines"
    assert read(tmp_path, lines, name="{}.jsonl").notes == [], "the ending tells"


def test_a_wrong_framing_is_never_taken_of_messages_that_are_drawn(order: Any, tmp_path: Path) -> None:
    """A short file may be readable in several framings. The user is then asked for one, unless all give the
    same messages."""
    draws, asked = random.Random(7), 0
    for number in range(300):
        count = draws.choice((1, 1, 2, 5))
        messages = [order(id=draws.randrange(40), note="x" * draws.randrange(12)) for _ in range(count)]
        if number % 3 == 0:
            messages = [drawn(order, draws) for _ in range(count)]
        written, framing = [stream(messages)], "delimited"
        if number % 2:
            written, framing = [each.SerializeToString(deterministic=True) for each in messages], "one"
        if not any(written):
            continue
        files = [tmp_path / f"{n}.bin" for n in range(len(written))]
        for file, data in zip(files, written, strict=True):
            file.write_bytes(data)
        try:
            found, _ = framed(files, "", order, order.DESCRIPTOR.file.pool)
        except InputError as error:
            assert "found bytes that can be read as " in str(error) and f"--framing {framing}" in str(error)
            asked += 1
        else:
            assert found == [(file, framing) for file in files]
    assert asked < 20


def test_bytes_that_are_messages_in_two_ways_are_asked_about(order: Any, tmp_path: Path) -> None:
    both = prefixed(">I", [order(id=1), order(id=2)])
    assert refusal(tmp_path, both) == (
        "data0.bin: found bytes that can be read as delimited (8 messages, 6 of them empty) and as u32-be (2 "
        "messages); expected messages that are read in one way; choose --framing delimited "
        "or --framing u32-be"
    )
    assert len(values(read(tmp_path, both, framing="u32-be"))) == 2
    # The field 7 with 18 in it and a note of 53 characters, or a message of 56 bytes with two notes.
    twice = b"\x38\x12\x12\x35" + b"a" * 17 + b"\x12\x22" + b"b" * 34
    assert "as one (1 message) and as delimited (1 message);" in refusal(tmp_path, twice)
    assert taken(read(tmp_path, bytes(3))) == "delimited", "no field has the number 0"


def test_an_empty_file_is_asked_about(order: Any, tmp_path: Path) -> None:
    assert refusal(tmp_path, b"") == (
        "data0.bin: found no message: the file is empty; expected at least one; --framing one takes it as a "
        "message without a field"
    )
    assert len(values(read(tmp_path, b"", framing="one"))) == 1
    assert len(values(read(tmp_path, b"", order(id=3).SerializeToString()))) == 2


def test_where_no_framing_fits_the_faults_of_those_that_went_furthest_are_told(
    order: Any, tmp_path: Path
) -> None:
    messages = [order(id=number, note="s3cret") for number in range(1, 50)]
    cut = refusal(tmp_path, stream(messages)[:-1])
    assert cut == (
        "data0.bin, message 49 at byte 528: found 9 bytes; expected 10, which its length says; is the file "
        "cut off?"
    )
    short = refusal(tmp_path, stream(messages[:2])[:-1])
    assert (
        "data0.bin: found no message shop.v1.Order in any framing (delimited: message 2 at byte 11: 9 bytes, "
        in short
    )
    assert (
        "one: 21 invalid bytes, expected a message shop.v1.Order; nor is it u32-be, u32-le, grpc, text"
        in short
    )
    assert "s3cret" not in cut + short


def test_data_that_are_packed_are_told_as_such(order: Any, tmp_path: Path) -> None:
    data = stream(drawn(order, random.Random(n)) for n in range(20))
    for pack, what in ((gzip.compress, "gzip"), (bz2.compress, "bzip2"), (lzma.compress, "xz")):
        told = refusal(tmp_path, pack(data))
        assert f"found a file packed by {what}; expected messages of Order" in told.replace("shop.v1.", "")
        assert " unpacks it" in told


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (
            b'[{"id": 1}, {"id": 2}]',
            "found a list; expected one message Order; jq -c '.[]' data0.bin > lines.jsonl makes JSON lines "
            "of its items",
        ),
        (
            b'{"id": 1}\n{"id": "x"}\n{"id": 3}\n',
            "line 2, Order.id: found a message that is not a Order; expected one in the JSON mapping",
        ),
        (b'{"id": 1, "nots": 2}', "found a message that is not a Order; expected one in the JSON mapping"),
    ],
)
def test_where_the_data_are_json_its_fault_is_told_and_no_other(
    written: bytes, told: str, order: Any, tmp_path: Path
) -> None:
    found = refusal(tmp_path, written).replace("shop.v1.", "")
    assert told in found and "in any framing" not in found


def test_a_compressed_message_of_grpc_is_told(order: Any, tmp_path: Path) -> None:
    assert "found a message with the flag 1, which is compressed" in refusal(
        tmp_path, b"\1\0\0\0\2ab", framing="grpc"
    )
    assert "found the end of the file in a length" in refusal(tmp_path, b"\0\0\0", framing="grpc")


CAPNP = "@0xa93fc509624c72d1;\nstruct Order { id @0 :UInt64; note @1 :Text; }\n"


@pytest.mark.parametrize(("form", "framing"), [("binary", "stream"), ("packed", "packed")])
def test_each_framing_of_capn_proto_is_found(form: str, framing: str, tmp_path: Path) -> None:
    need("capnp")
    (tmp_path / "order.capnp").write_text(CAPNP)
    for count in (1, 3):
        text = "".join(f'(id = {number}, note = "n{number}")' for number in range(count))
        command = ["capnp", "convert", f"text:{form}", "order.capnp", "Order"]
        done = subprocess.run(command, input=text.encode(), capture_output=True, check=True, cwd=tmp_path)
        (tmp_path / "d.bin").write_bytes(done.stdout)
        imported = formats()["capnp"].read(Request((tmp_path / "order.capnp",), (tmp_path / "d.bin",)))
        assert taken_of(imported) == framing
        assert values(imported) == [(number, f"n{number}") for number in range(count)]


FBS = "table Order { id:ulong; note:string; more:[int]; } root_type Order;"


@pytest.mark.parametrize("framing", ["one", "prefixed"])
def test_each_framing_of_flatbuffers_is_found(framing: str, tmp_path: Path) -> None:
    need("fbs")
    (tmp_path / "order.fbs").write_text(FBS)
    written = []
    # A message may end in zeros, which look like a table without fields.
    for number, value in enumerate(
        ({"id": 3, "note": "", "more": [0, 0]}, {"id": 4, "note": "n"}, {"id": 5})
    ):
        (tmp_path / "v.json").write_text(json.dumps(value))
        options = ["--size-prefixed"] if framing == "prefixed" else []
        command = ["flatc", "-b", *options, "order.fbs", "v.json"]
        subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
        written.append((tmp_path / "v.bin").read_bytes())
        (tmp_path / f"{number}.bin").write_bytes(written[-1])
    files = tuple(tmp_path / f"{number}.bin" for number in range(3))
    if framing == "prefixed":
        (tmp_path / "all.bin").write_bytes(b"".join(written))
        files = (tmp_path / "all.bin",)
    imported = formats()["fbs"].read(Request((tmp_path / "order.fbs",), files))
    assert taken_of(imported) == framing
    assert values(imported) == [(3, "", [0, 0]), (4, "n", []), (5, None, [])]
    first = formats()["fbs"].read(Request((tmp_path / "order.fbs",), (tmp_path / "0.bin",)))
    assert taken_of(first) == framing and values(first) == [(3, "", [0, 0])]


def taken_of(imported: Imported) -> str:
    return imported.notes[0].partition("--framing ")[2].partition(",")[0]
