"""Tests of the workloads: their data against published recipes, the random generators that these prescribe,
and workloads as arguments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serbench.dataset.canonical import encode
from serbench.drawing.draws import below, mt19937, mt19937_from_seed_seq, seed_seq, to_f32
from serbench.drawing.rand import Rand, pcg32
from serbench.errors import FileError, SelectionError
from serbench.model import Field, Record, u8
from serbench.paths import PROJECT
from serbench.selecting.selection import select_workloads
from serbench.workload import Parameter, Workload, WorkloadSpec, load_workloads, parse_workload

WORKLOADS = load_workloads(PROJECT / "workloads")


def generated(text: str) -> list[Any]:
    spec = parse_workload(text, WORKLOADS)
    return list(spec.workload.generate(**spec.parameters))


def canonical_bytes(text: str) -> int:
    root = WORKLOADS[text.partition(":")[0]].root
    return sum(len(encode(root, value)) for value in generated(text))


# --- web_log, mesh, minecraft_savedata, mk48 ---


def test_the_draws_of_rand_are_those_of_its_generator() -> None:
    """The first words of PCG's generator must be those that its authors publish for state 42 and stream 54.
    Numbers drawn from a range are compared with those of Rust's crate ``rand``, computed by hand: the upper
    half of a word times the span."""
    words = [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]
    draw = pcg32(42, 54)
    assert [draw() for _ in words] == words
    rand = Rand(pcg32(42, 54))
    assert [rand.in_range(10, 20), rand.short_in(-5, 5)] == [16, -1]
    assert rand.u64() == words[3] << 32 | words[2]
    assert rand.size_in(0, 100) == (words[5] << 32 | words[4]) * 100 >> 64
    assert Rand(lambda: 0).weighted([1.0, 2.0]) == 0 and Rand(lambda: 0xFFFFFFFF).weighted([1.0, 2.0]) == 1


@pytest.mark.parametrize(
    ("workload", "published"),
    [("web_log", 885_780), ("mesh", 6_000_004), ("minecraft_savedata", 446_595), ("mk48", 1_521_989)],
)
def test_data_of_rusts_benchmark_take_the_bytes_that_borsh_is_published_with(
    workload: str, published: int
) -> None:
    """Borsh writes as many bytes for these data as the canonical encoding: numbers as they are, four bytes
    for a length, and one for a presence or a small enum. So the published sizes must come out."""
    assert canonical_bytes(workload) == published


# --- record ---

# Bits of the magnitude: count, from the tables of sizes that the published data sets led to.
SMALL = {7: 1, 8: 3, 9: 4, 10: 9, 11: 15, 12: 27, 13: 52, 14: 117, 15: 259, 16: 513}
POSITIVE = {
    0: 2, 3: 3, 4: 3, 5: 19, 6: 31, 7: 62, 8: 1, 11: 3, 12: 3, 13: 19, 14: 31, 15: 61, 23: 1, 24: 1, 27: 3,
    28: 3, 29: 19, 30: 31, 31: 61, 55: 1, 56: 1, 59: 3, 60: 3, 61: 19, 62: 31, 63: 61,
}  # fmt: skip
NEGATIVE = {
    2: 3, 3: 1, 4: 10, 5: 18, 6: 37, 7: 62, 9: 2, 10: 1, 11: 1, 12: 11, 13: 18, 14: 39, 15: 59, 25: 2, 26: 1,
    27: 1, 28: 11, 29: 18, 30: 39, 31: 59, 57: 2, 58: 1, 59: 1, 60: 11, 61: 18, 62: 39, 63: 59,
}  # fmt: skip


def bit_lengths(numbers: Iterable[int]) -> Counter[int]:
    return Counter(n.bit_length() for n in numbers)


@pytest.mark.parametrize("ids", ["small", "mixed"])
def test_a_record_takes_the_published_bytes(ids: str) -> None:
    assert canonical_bytes(f"record:ids={ids}") == 17008


@pytest.mark.parametrize("seed", [1, 2])
def test_record_ids_have_the_published_magnitudes(seed: int) -> None:
    ((small, _),) = generated(f"record:ids=small,seed={seed}")
    ((mixed, _),) = generated(f"record:ids=mixed,seed={seed}")
    assert bit_lengths(small) == SMALL
    assert min(small) >= 64
    assert bit_lengths(n for n in mixed if n >= 0) == POSITIVE
    assert bit_lengths(n for n in mixed if n < 0) == NEGATIVE
    assert len(small) == len(mixed) == 1000


def test_record_ids_are_shuffled_by_the_seed() -> None:
    ((one, _),), ((same, _),), ((other, _),) = (generated(f"record:seed={n}") for n in (1, 1, 2))
    assert one == same
    assert one != other
    assert [n.bit_length() for n in one] != sorted(n.bit_length() for n in one)


def test_record_strings_are_the_published_one() -> None:
    ((_, strings),) = generated("record")
    assert (
        strings
        == ["shgfkghsdfjhgsfjhfgjhfgjsffghgsfdhgsfdfkdjhfioukjhkfdljgdfkgvjafdhasgdfwurtjkghfsdjkfg"] * 100
    )
    assert len(strings[0]) == 86


# --- graph ---


@pytest.mark.slow("generate the whole graph")
def test_the_whole_graph_is_the_published_one() -> None:
    (graph,) = generated("graph")
    nodes = graph.nodes
    out_edges = [edge for node in nodes for edge in node.out_edges]
    assert (len(nodes), len(out_edges)) == (1870, 3_146_434)
    assert len(encode(WORKLOADS["graph"].root, graph)) == 37_806_601
    # Computed by a program of std::mt19937 that follows the published recipe.
    assert (nodes[0].name, nodes[-1].name) == ("dxvdzxfqicoheozyzz", "ijevzjkttas")
    assert [tuple(e) for e in out_edges[:3]] == [(0, 0, 771), (0, 1, 913), (0, 2, 310)]
    assert tuple(out_edges[-1]) == (1869, 1868, 815)
    assert sum(weight for _, _, weight in out_edges) == 1_572_514_138


def test_each_edge_of_a_graph_is_at_both_its_ends() -> None:
    (graph,) = generated("graph:nodes=40")
    assert [node.id for node in graph.nodes] == list(range(40))
    for node in graph.nodes:
        assert all(edge[0] == node.id for edge in node.out_edges)
        assert node.in_edges == [
            edge for other in graph.nodes for edge in other.out_edges if edge[1] == node.id
        ]


@pytest.mark.parametrize(("connected", "edges"), [("0", 0), ("1", 900)])
def test_none_or_all_pairs_of_nodes_can_be_connected(connected: str, edges: int) -> None:
    (graph,) = generated(f"graph:nodes=30,connected={connected}")
    assert sum(len(node.out_edges) for node in graph.nodes) == edges


# --- monsters ---


def packed_bytes(monster: Any, count_bytes: int) -> int:
    """The bytes of a monster if its strings and lists have lengths of ``count_bytes`` bytes."""

    def weapon(each: Any) -> int:
        return count_bytes + len(each.name) + 2

    fixed = 12 + 2 + 2 + 1
    counted = (
        len(monster.name)
        + len(monster.inventory)
        + sum(map(weapon, monster.weapons))
        + 12 * len(monster.path)
    )
    return int(fixed + 4 * count_bytes + counted + weapon(monster.equipped))


@pytest.mark.parametrize(("count_bytes", "size"), [(1, 6913), (4, 8413), (8, 10413)])
def test_monsters_pack_to_the_published_bytes(count_bytes: int, size: int) -> None:
    ((monsters,),) = generated("monsters")
    assert len(monsters) == 50
    assert count_bytes + sum(packed_bytes(m, count_bytes) for m in monsters) == size


def test_monsters_take_the_published_bytes() -> None:
    assert canonical_bytes("monsters") == 8413
    assert canonical_bytes("monsters:count=0") == 4


def test_the_first_and_last_monster_are_the_published_ones() -> None:
    # Computed by a program of std::mt19937 and std::seed_seq{1, 2, 3} that follows the published recipe.
    ((monsters,),) = generated("monsters")
    first, last = monsters[0], monsters[49]
    assert first.name == "EDWP"
    assert first.pos == tuple(float.fromhex(x) for x in ("0x1.f3716p-3", "0x1.f2b518p-1", "0x1.859d3p-2"))
    assert (first.mana, first.hp, first.inventory, first.color) == (103, 484, [4], 2)
    assert (first.weapons, first.equipped) == ([("TLDPFAJO", 25038)], ("ISTAW", 3562))
    assert (len(first.path), first.path[-1][2]) == (5, float.fromhex("0x1.b5532p-4"))
    assert (last.name, last.mana, last.hp, last.inventory, last.color) == ("B", 109, 995, [2, 4], 0)
    assert last.weapons == [("HEXCANTXL", 15127), ("ABJXFCM", 9211), ("CIPQRWEDF", 9936)]
    assert last.path[-1][2] == float.fromhex("0x1.3c7a48p-2")


# --- nobid ---


def test_constant_nobid_records_are_the_published_one() -> None:
    record = (
        12345, "sampleApp", "14241c7f-7db1-4bcd-a3f7-82885e08e7ec", "prd-dsp03", "2017-06-30 09:07:37.677",
        234, 6260, "http://diamond.jp/articles/-/15434", 4, (2406, "Mie"), ["a", "b", "c"],
        {"media": "facebook", "ssp": "google"},
    )  # fmt: skip
    assert generated("nobid:values=constant,count=3") == [record] * 3


def test_a_hundred_thousand_nobid_records_are_the_default() -> None:
    spec = parse_workload("nobid", WORKLOADS)
    assert (spec.parameters["count"], spec.parameters["values"]) == (100_000, "varied")


def test_varied_nobid_records_have_what_the_constant_ones_lack() -> None:
    records = generated("nobid:count=2000")
    assert len(records) == 2000
    assert 0 < sum(r.page is None for r in records) < 2000
    assert {len(r.tags) for r in records} == {0, 1, 2, 3, 4, 5}
    lengths = {len(r.history) for r in records}
    assert min(lengths) == 0
    assert max(lengths) >= 20
    for texts in (
        [r.app_name for r in records],
        [r.spot.name for r in records],
        [r.page or "" for r in records],
    ):
        assert {text.isascii() for text in texts} == {True, False}
    assert any("," in r.app_name for r in records)
    assert len({r.auction_id for r in records}) == 2000
    assert len(encode(WORKLOADS["nobid"].root, records[0])) > 0


def test_varied_nobid_records_follow_the_seed_alone() -> None:
    one, same, other = (generated(f"nobid:count=20,seed={seed}") for seed in (1, 1, 2))
    assert one == same
    assert all(a != b for a, b in zip(one, other, strict=True))
    assert generated("nobid:count=30,seed=1")[:20] == one


# --- draws ---


def test_the_twister_draws_the_numbers_of_the_standard() -> None:
    draws = [draw() for draw in [mt19937()] for _ in range(10_000)]
    assert draws[:3] == [3499211612, 581869302, 3890346734]
    # C++20 [rand.predef]: the 10000th draw of a default-constructed std::mt19937.
    assert draws[-1] == 4123659995


@pytest.mark.parametrize(("seed", "first"), [(0, 2357136044), (1, 1791095845), (4294967295, 419326371)])
def test_the_twister_follows_its_seed(seed: int, first: int) -> None:
    # Printed by a program of std::mt19937, libstdc++ 12.
    assert mt19937(seed)() == first


@pytest.mark.parametrize(
    ("seeds", "n", "beginning", "last"),
    [
        ([1, 2, 3], 1, [4199328558], 4199328558),
        ([1, 2, 3], 2, [2039731893, 260350100], 260350100),
        ([1, 2, 3], 5, [3537778344, 1928993989, 724881043], 2067159162),
        ([1, 2, 3], 7, [1988925043, 1913857364, 2377960491], 2053144686),
        ([1, 2, 3], 39, [1552371058, 3938875816, 2366183820], 1133658689),
        ([1, 2, 3], 68, [616987677, 417464922, 3472740373], 895530153),
        ([1, 2, 3], 623, [4148000480, 2364719997, 2382763130], 3480630750),
        ([1, 2, 3], 624, [385863660, 3421643350, 4023343032], 3059509095),
        ([1, 2, 3], 1000, [3331084094, 2891711293, 1664523250], 2652270642),
        ([], 8, [3071959997, 669715714, 1197567577], 2235109613),
        ([n * 0x12345678 % (1 << 32) for n in range(20)], 5, [147792814, 2406793351, 1050112474], 3751547796),
    ],
)
def test_seed_seq_gives_the_words_of_the_standard(
    seeds: list[int], n: int, beginning: list[int], last: int
) -> None:
    # Printed by a program of std::seed_seq, libstdc++ 12.
    words = seed_seq(seeds, n)
    assert (words[: len(beginning)], words[-1], len(words)) == (beginning, last, n)


def test_the_twister_is_seeded_by_seed_seq() -> None:
    # Printed by a program of std::mt19937 and std::seed_seq{1, 2, 3}, libstdc++ 12.
    draws = [draw() for draw in [mt19937_from_seed_seq([1, 2, 3])] for _ in range(1000)]
    assert draws[:5] == [1710881851, 703781052, 629188492, 3870567717, 2648483098]
    assert draws[-1] == 3610865038


def scripted(*draws: int) -> Iterator[int]:
    yield from draws


@given(st.integers(1, 1 << 32), st.data())
def test_each_bounded_draw_comes_from_equally_many_raw_draws(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n - 1))
    # The raw draws r with r n from k 2^32 + rejected on give k, and before (k + 1) 2^32.
    share, rejected = (1 << 32) // n, (1 << 32) % n
    first = -(-((k << 32) + rejected) // n)
    last = first + share - 1
    assert below(scripted(first).__next__, n) == below(scripted(last).__next__, n) == k
    assert ((last + 1) * n) >> 32 == k + 1
    if first and (first - 1) * n >> 32 == k:
        other = (1 << 32) - 1
        assert below(scripted(first - 1, other).__next__, n) == n - 1


def test_a_biased_raw_draw_is_drawn_again() -> None:
    # 2^32 mod 3 = 1: of the raw draws 0 to 2^32 - 1, only 0 is rejected.
    assert below(scripted(0, 0, 1).__next__, 3) == 0
    assert below(scripted((1 << 32) - 1).__next__, 3) == 2
    assert below(scripted(0).__next__, 4) == 0


def test_to_f32_rounds_to_the_nearest_single() -> None:
    assert to_f32(0.1) == float.fromhex("0x1.99999ap-4")
    assert to_f32(16777217.0) == 16777216.0


# --- workloads as arguments ---

PLAIN = Record("Plain", [Field("a", u8)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grap", "unknown workload 'grap'; did you mean graph?"),
        ("zzz", f"unknown workload 'zzz'; known: {', '.join(WORKLOADS)}"),
        ("", f"unknown workload ''; known: {', '.join(WORKLOADS)}"),
        ("record:idz=small", "unknown parameter of workload record 'idz'; did you mean ids?"),
        ("record:ids=big", "workload record, parameter ids: found 'big', expected small or mixed"),
        ("record:seed=x", "workload record, parameter seed: found 'x', expected a whole number"),
        ("record:seed=1.5", "workload record, parameter seed: found '1.5', expected a whole number"),
        ("record:ids", "workload record: found 'ids', expected NAME=VALUE such as record:ids=small"),
        ("graph:connected=much", "workload graph, parameter connected: found 'much', expected a number"),
        ("graph:connected=1.01", "workload graph, parameter connected: found 1.01, expected 0 to 1"),
        ("graph:connected=nan", "workload graph, parameter connected: found nan, expected 0 to 1"),
        ("graph:nodes=65536", "workload graph, parameter nodes: found 65536, expected 1 to 65535"),
        ("graph:nodes=0", "workload graph, parameter nodes: found 0, expected 1 to 65535"),
        ("monsters:count=-1", "workload monsters, parameter count: found -1, expected 0 to any"),
    ],
)
def test_a_wrong_workload_or_parameter_is_named_with_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(SelectionError) as caught:
        parse_workload(text, WORKLOADS)
    assert str(caught.value) == message


def test_parameters_are_parsed_to_their_types() -> None:
    assert parse_workload("graph:nodes=3,connected=1", WORKLOADS).parameters == {"nodes": 3, "connected": 1.0}
    assert parse_workload("graph:", WORKLOADS) == parse_workload("graph", WORKLOADS)


def test_a_text_parameter_without_choices_takes_any_text() -> None:
    assert Parameter("path", "here", "").parse("w", "there") == "there"


def test_a_parameter_with_an_upper_bound_alone_does_not_name_none() -> None:
    with pytest.raises(SelectionError) as caught:
        Parameter("n", 1, "", most=5).parse("w", "6")
    assert "None" not in str(caught.value)


def test_the_id_shows_choices_and_what_is_no_default() -> None:
    ids = [
        parse_workload(text, WORKLOADS).id
        for text in ("monsters", "monsters:count=2", "record", "record:seed=7,ids=mixed")
    ]
    assert ids == ["monsters", "monsters:count=2", "record:ids=small", "record:ids=mixed,seed=7"]


def test_a_workload_knows_its_source_and_schema() -> None:
    workload = WORKLOADS["graph"]
    assert workload.source == PROJECT / "workloads" / "graph.py"
    assert [r.name for r in workload.schema.records] == ["Edge", "Node", "Graph"]
    spec = WorkloadSpec(Workload("plain", "", PLAIN, lambda: iter([])), {})
    assert (spec.id, spec.workload.source) == ("plain", Path(__file__))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def (", r"broken\.py, line 1 cannot be loaded: SyntaxError: "),
        ("\n\nimport sys\nsys.exit(3)", r"broken\.py, line 4 cannot be loaded: SystemExit: 3"),
        ("workload = {}", r"broken\.py declares no workload: 'workload' is dict, expected a Workload"),
        ("x = 1", r"broken\.py declares no workload: 'workload' is not defined"),
        (
            "import no_such_module",
            r"broken\.py, line 1 cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        (
            "from serbench.model import *\nfrom serbench.workload import *\n"
            "workload = Workload('broken', '', Record('R', []), lambda: [])",
            r"broken\.py, line 3: schema broken: 1 error\n  record R: the root has no fields",
        ),
        (
            "from serbench.model import *\nfrom serbench.workload import *\n"
            "workload = Workload('other', '', Record('R', [Field('a', u8)]), lambda: [])",
            r"broken\.py: the workload is named 'other'; expected 'broken', the file's name",
        ),
    ],
)
def test_a_workload_file_that_cannot_be_used_is_named(tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "broken.py").write_text(source)
    (tmp_path / "sound.py").write_text(
        (PROJECT / "workloads" / "monsters.py").read_text().replace('"monsters"', '"sound"')
    )
    loaded = load_workloads(tmp_path)
    assert list(loaded) == ["sound"]
    assert re.search(message, str(loaded.broken["broken"]))
    with pytest.raises(FileError, match=message):
        select_workloads(["broken:count=1"], loaded)
    assert [spec.id for spec in select_workloads(["*"], loaded)] == ["sound"]
