"""Tests that the JSON codecs agree on the text, and that a codec which only reads offers no operation that
writes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.support import Native, is_first_of_format, skip_unless_in_matrix, small_spec

from serbench.dataset.cache import dataset_for
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


@pytest.mark.parametrize("workload", ["record", "monsters", "graph", "nobid"])
@pytest.mark.parametrize("writer", ["cpp/nlohmann_json:json", "cpp/rapidjson:sax", "cpp/simdjson:dom"])
def test_json_is_read_whoever_wrote_it(native: Native, writer: str, workload: str, tmp_path: Path) -> None:
    skip_unless_in_matrix(VARIANTS[writer], workload, native.whole)
    encoded, decoded = tmp_path / "encoded", tmp_path / "decoded"
    encode(native, writer, workload, encoded)
    for reader in filter(lambda each: is_tried(each, native), TEXT):
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
    encode(native, "cpp/nlohmann_json:json", "monsters", path)
    whole = json.loads(path.read_bytes()[4:])

    def decode(message: object) -> str:
        text = json.dumps(message).encode()
        path.write_bytes(len(text).to_bytes(4, "little") + text)
        command = [*runner(native, variant, "monsters"), "decode", "--encoded", str(path), "--out", str(out)]
        return subprocess.run(command, capture_output=True, text=True).stdout

    assert '"event":"done"' in decode(whole)
    monster = whole["monsters"][0]
    unknown = {"none": {"of": [1, "b", None, {"c": 1.5}]}} | monster
    assert '"event":"done"' in decode({"monsters": [unknown]})
    assert '"event":"error"' in decode({"monsters": [{k: v for k, v in monster.items() if k != "hp"}]})
    not_i16: list[object] = [70_000, -70_000, 1.5, "1", None, [], {}, True]
    for wrong in not_i16:
        assert '"event":"error"' in decode({"monsters": [monster | {"hp": wrong}]}), wrong
    for number in (3, -1):  # no colour
        assert '"event":"error"' in decode({"monsters": [monster | {"color": number}]}), number


@pytest.mark.parametrize("variant", ["cpp/simdjson:ondemand", "cpp/simdjson:dom"])
def test_a_codec_that_only_reads_offers_nothing_that_writes(native: Native, variant: str) -> None:
    if not is_tried(variant, native):
        pytest.skip(f"{variant} is left to ./serbench test --all")
    said = subprocess.run(
        [*runner(native, variant, "monsters"), "describe"], capture_output=True, text=True, check=True
    )
    offered = set(json.loads(said.stdout.splitlines()[0])["operations"])
    assert offered >= {"decode", "deserialize", "traverse", "decode_traverse"}
    assert not offered & {"build", "encode", "serialize", "roundtrip", "native_roundtrip", "cycle"}
