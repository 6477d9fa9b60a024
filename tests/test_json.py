"""Tests that the JSON codecs agree on the text, and that a codec which only reads offers no operation that
writes."""

from __future__ import annotations

import json
import subprocess
from itertools import product
from pathlib import Path

import pytest
from tests.support import ENOUGH, Native, is_first_of_format, skip_unless_in_matrix, small_spec

from serbench.dataset.cache import dataset_for
from serbench.dataset.file import split_messages
from serbench.paths import Paths
from serbench.selecting.catalogue import load_variants

pytestmark = pytest.mark.native

VARIANTS = load_variants(Paths.default().codecs)
TEXT = [
    "cpp/nlohmann_json:json",  # sorts its keys
    "cpp/rapidjson:dom",
    "cpp/rapidjson:insitu",
    "cpp/rapidjson:sax",
    "cpp/simdjson:ondemand",
    "cpp/simdjson:dom",
]

PAIRS = "cpp/nlohmann_json:json"
"""The variant that writes a map by enums as pairs, where the others write an object."""


def runner(native: Native, variant: str, workload: str) -> tuple[str, ...]:
    cell = native.unit(VARIANTS[variant], workload)
    assert cell.status == "ok", cell.reason
    return cell.command


def is_tried(variant: str, native: Native) -> bool:
    """Whether a variant is tested: with ``--all`` each, otherwise the first of its codec."""
    return native.whole or is_first_of_format(VARIANTS[variant])


def encode(native: Native, variant: str, workload: str, out: Path) -> None:
    data = dataset_for(small_spec(workload), native.paths)
    subprocess.run(
        [*runner(native, variant, workload), "encode", "--dataset", str(data.path), "--out", str(out)],
        check=True,
    )


@pytest.mark.parametrize(
    ("writer", "workload"),
    [
        ("cpp/rapidjson:dom", ENOUGH),
        *product(
            ("cpp/nlohmann_json:json", "cpp/rapidjson:sax", "cpp/simdjson:dom"),
            ("record", "monsters", "graph", "nobid"),
        ),
    ],
)
def test_json_is_read_whoever_wrote_it(native: Native, writer: str, workload: str, tmp_path: Path) -> None:
    skip_unless_in_matrix(VARIANTS[writer], workload, native.whole)
    encoded, decoded = tmp_path / "encoded", tmp_path / "decoded"
    encode(native, writer, workload, encoded)
    readers = filter(lambda each: is_tried(each, native), TEXT)
    for reader in readers:
        if workload == ENOUGH and reader == PAIRS:
            continue
        files = ["--encoded", str(encoded), "--out", str(decoded)]
        subprocess.run([*runner(native, reader, workload), "decode", *files], check=True)
        assert decoded.read_bytes() == dataset_for(small_spec(workload), native.paths).body(), reader


@pytest.mark.parametrize("variant", TEXT)
def test_a_missing_field_or_a_number_out_of_range_is_refused_and_an_unknown_field_skipped(
    native: Native, variant: str, tmp_path: Path
) -> None:
    if not is_tried(variant, native):
        pytest.skip(f"{variant} is left to ./serbench test --all")
    path, out = tmp_path / "encoded", tmp_path / "decoded"
    encode(native, PAIRS if variant == PAIRS else "cpp/rapidjson:dom", ENOUGH, path)
    whole = json.loads(bytes(next(iter(split_messages(path.read_bytes())))))

    def decode(message: object) -> str:
        text = json.dumps(message).encode()
        path.write_bytes(len(text).to_bytes(4, "little") + text)
        command = [*runner(native, variant, ENOUGH), "decode", "--encoded", str(path), "--out", str(out)]
        return subprocess.run(command, capture_output=True, text=True).stdout

    assert '"event":"done"' in decode(whole)
    assert '"event":"done"' in decode({"none": {"of": [1, "b", None, {"c": 1.5}]}} | whole)
    assert '"event":"error"' in decode({k: v for k, v in whole.items() if k != "of_i16"})
    not_i16: list[object] = [70_000, -70_000, 1.5, "1", None, [], {}, True]
    for wrong in not_i16:
        assert '"event":"error"' in decode(whole | {"of_i16": wrong}), wrong
    for other in (3, -1, "no colour"):
        assert '"event":"error"' in decode(whole | {"of_enum": other}), other


@pytest.mark.parametrize("variant", ["cpp/simdjson:ondemand", "cpp/simdjson:dom"])
def test_a_codec_that_only_reads_offers_nothing_that_writes(native: Native, variant: str) -> None:
    if not is_tried(variant, native):
        pytest.skip(f"{variant} is left to ./serbench test --all")
    said = subprocess.run(
        [*runner(native, variant, ENOUGH), "describe"], capture_output=True, text=True, check=True
    )
    offered = set(json.loads(said.stdout.splitlines()[0])["operations"])
    assert offered >= {"decode", "deserialize", "traverse", "decode_traverse"}
    assert not offered & {"build", "encode", "serialize", "roundtrip", "native_roundtrip", "cycle"}
