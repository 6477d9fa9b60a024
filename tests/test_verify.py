"""Tests of verification with a fake runner: every fault of a codec is named, and nothing passes by
default."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from tests.support import verify_cached

import serbench.verification.watching as watching
from serbench.codecs.codec import Variant
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.canonical import decode, encode
from serbench.dataset.file import ORIGIN, Dataset, join_messages, write_dataset
from serbench.measure.differences import find_difference
from serbench.measure.unit import Unit
from serbench.model import Field, List, Record, Schema, i64, string
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.verification.contract import verify
from serbench.verification.growth import LONG_BYTES, constant_time_views, messages_to_time
from serbench.verification.views import confirmed
from serbench.verification.watching import to_watch
from serbench.workload import load_workloads, parse_workload

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))


@pytest.fixture(name="unit")
def unit_of_monsters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Unit:
    paths = Paths(PROJECT, tmp_path)
    spec = parse_workload("monsters:count=2", load_workloads(paths.workloads))
    variant: Variant = load_variants(paths.codecs)["cpp/cereal"]
    monkeypatch.setenv("FAKE_SCHEMA", spec.workload.schema.digest())
    monkeypatch.setenv("FAKE_CODEC", variant.id)
    data, edge = dataset_for(spec, paths), edge_dataset_for(spec, paths)
    return Unit(variant, spec, data, edge, command=(*FAKE, "none"), silence_limit_s=20.0)


def faulty(unit: Unit, fault: str) -> Unit:
    return replace(unit, command=(*FAKE, fault))


def test_a_codec_that_gives_back_what_it_was_given_passes(unit: Unit) -> None:
    found = verify(unit)
    assert (found.ok, found.reason) == (True, "")
    assert found.size_bytes == unit.data.canonical_bytes
    assert found.checked == (
        "edge decode:reuse",
        "edge decode:fresh",
        "data decode:reuse",
        "data decode:fresh",
    )


def test_a_codec_that_only_encodes_is_not_asked_to_decode(
    unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_OPERATIONS", "encode")
    found = verify(faulty(unit, "crash@decode"))
    assert (found.ok, found.checked, found.operations) == (True, (), ("encode",))


@pytest.mark.parametrize(
    ("fault", "words", "outline"),
    [
        ("crash", "free(): invalid pointer", "the runner was killed by signal 9"),
        ("exit", "could not do it", "the runner ended with status 3"),
        ("error", "the library says no", "the runner gave up while starting (library.Refusal)"),
        ("error-with-values", "the library says no", "the runner gave up while starting"),
        (
            "garbage",
            "<html>",
            "the runner printed something that is not an event; expected one JSON object with "
            "'event' per line",
        ),
    ],
)
def test_of_private_data_no_reason_has_what_a_library_prints(
    unit: Unit, fault: str, words: str, outline: str
) -> None:
    unit = faulty(unit, f"{fault}@decode")
    assert words in verify(unit).reason
    header = msgspec.structs.replace(unit.data.header, parameters={ORIGIN: "data"})
    private = replace(unit, data=replace(unit.data, header=header))
    assert (
        verify(private).reason
        == f"{outline}; its output is not shown, since it may contain values of your data"
    )
    synthetic = msgspec.structs.replace(header, parameters={ORIGIN: "synthetic"})
    assert words in verify(replace(unit, data=replace(unit.data, header=synthetic))).reason


def test_time_that_does_not_grow_with_the_messages_is_refused(unit: Unit) -> None:
    found = verify(faulty(unit, "cached@decode"))
    assert not found.ok
    assert (
        "decode takes 6000 ns for 2 messages and 6000 ns for 16 and 6000 ns for 128, "
        "expected at least 2 times as long" in found.reason
    )


def test_an_operation_that_does_not_read_the_message_is_a_constant_time_view(unit: Unit) -> None:
    assert verify(unit).views == ()
    found = verify(faulty(unit, "view@decode"))
    assert found.ok and found.views == ("decode",)


@pytest.mark.parametrize(
    ("operation", "shares", "values", "expected"),
    [
        ("build", True, [("x", []), ("x" * 3000, [])], ()),
        ("extract", True, [("x", []), ("x" * 3000, [])], ()),
        ("build", True, [("x", []), ("x", [1] * 300)], ("build",)),
        ("build", False, [("x", []), ("x" * 3000, [])], ("build",)),
        ("decode", True, [("x", []), ("x" * 3000, [])], ("decode",)),
    ],
)
def test_where_texts_are_shared_only_more_values_tell_that_objects_are_not_made(
    unit: Unit,
    operation: str,
    shares: bool,
    values: list[Any],
    expected: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAKE_OPERATIONS", operation)
    schema = Schema("texts", Record("R", [Field("text", string), Field("more", List(i64))]))
    edge = write_dataset(tmp_path, "texts", {}, schema, values)
    command = faulty(unit, f"view@{operation}").command
    assert constant_time_views(command, edge, (operation,), 20.0, shares) == expected


def test_where_it_is_known_what_is_measured_the_times_of_others_are_left_to_a_later_verification(
    unit: Unit, tmp_path: Path
) -> None:
    """A verification for some operations does not count for others, but one for all operations counts for
    some."""
    for_one, cached = replace(unit, measured=("serialize",)), "cached@decode"
    assert not verify(faulty(unit, cached)).ok and verify(faulty(for_one, cached)).ok
    assert verify(faulty(replace(unit, measured=("native_roundtrip",)), "view@decode")).views == ("decode",)
    assert not verify(faulty(for_one, "cached@serialize")).ok and not verify(faulty(for_one, "wrong")).ok
    assert verify_cached(tmp_path, for_one).ok and remembered(tmp_path, for_one)
    assert not remembered(tmp_path, unit)
    assert not remembered(tmp_path, replace(unit, measured=("serialize", "deserialize")))
    assert verify_cached(tmp_path, unit).ok and remembered(tmp_path, replace(unit, measured=("encode",)))


def test_an_operation_that_does_much_before_it_reads_the_message_is_no_view(unit: Unit) -> None:
    """Each of two faults takes 1.4 times as long for 422,979 bytes as for 4. One takes a nanosecond more for
    each byte, so it is no view. The other takes only four microseconds more in all, in which it cannot have
    read the bytes, so it is a view. A third one takes 5 ms whatever the message, to which reading the bytes
    would add less than a tenth."""
    assert verify(faulty(unit, "starts_slowly@decode")).views == ()
    assert verify(faulty(unit, "starts_slowly_and_skips@decode")).views == ("decode",)
    assert verify(faulty(unit, "starts_too_slowly_to_tell@decode")).views == ()


def test_an_operation_that_grows_by_less_than_reading_takes_is_looked_at_again(
    unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes 2.7 times as long for 422,979 bytes as for 4, but only 3.4 µs more. A view of a hundred
    nanoseconds does too where its long message lies in a slow place. If it always does, it is none."""
    monkeypatch.setattr("serbench.verification.views.counting_tool", lambda: None)
    faulted = faulty(unit, "skips_in_a_slow_place@decode")
    found = verify(faulted)
    assert found.views == ("decode",) and confirmed(faulted, found).views == ()


def test_memory_grows_where_it_does_so_for_longer_than_an_allocator_takes_to_settle(unit: Unit) -> None:
    assert verify(faulty(unit, "leaks@decode:reuse")).growth == {"decode:reuse": round((1 << 20) / 1000)}
    assert verify(faulty(unit, "fills@decode:reuse")).growth == {}
    assert verify(faulty(unit, "fills_for_long@decode:reuse")).growth == {}


@pytest.mark.parametrize(
    ("sizes", "long", "middle"),
    [
        ([4, 300, 1000], 1000, 1000),
        ([4, 100_000, LONG_BYTES, LONG_BYTES + 1, 3_000_000], LONG_BYTES, 100_000),
        ([4, 30, 99, 250, 4095, 4096, 3_000_000, 800_000], 4096, 4095),
        ([4, 30, 3_000_000, 800_000], 800_000, 800_000),
        ([LONG_BYTES, 2 * LONG_BYTES], 2 * LONG_BYTES, LONG_BYTES),
        ([4, 40], 40, 40),
        ([4], 4, 4),
    ],
)
def test_growth_is_looked_at_with_messages_that_are_long_enough(
    sizes: list[int], long: int, middle: int
) -> None:
    edge = SimpleNamespace(read_messages=lambda: (bytes(size) for size in sizes))
    found = messages_to_time(edge)  # type: ignore[arg-type]
    assert {name: len(message) for name, message in found.items()} == {
        "long": long,
        "middle": middle,
        "short": min(sizes),
    }


@pytest.mark.parametrize("fault", ["few_slow_in_place", "short_slow_in_place", "slow_beside_others"])
def test_a_slow_place_in_memory_fools_neither_the_growth_check_nor_views(unit: Unit, fault: str) -> None:
    """The fault imitates ``rep movsb`` on Zen 3 and 4, where two messages take 43 µs in one place and 5.6 in
    another. The codec must pass verification, and its operation is no view."""
    found = verify(faulty(unit, f"{fault}@decode"))
    assert (found.ok, found.reason, found.views) == (True, "", ())


def test_many_messages_in_a_slow_place_do_not_pass_for_growth(unit: Unit) -> None:
    found = verify(faulty(unit, "cached_slow_in_place@decode"))
    assert not found.ok and "decode takes 6000 ns for 2 messages and 6000 ns for 16" in found.reason


def test_an_allocator_that_gives_back_the_memory_of_few_messages_does_not_fool_the_growth_check(
    unit: Unit,
) -> None:
    """The fault imitates a buffer that grows by reallocation: two messages take 126 µs, sixteen only 105. The
    codec must pass verification, and its operation is no view."""
    found = verify(faulty(unit, "pages_given_back@decode"))
    assert (found.ok, found.reason, found.views) == (True, "", ())


def test_a_native_roundtrip_counts_as_a_view_where_a_part_of_it_is_one(
    unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If encoding only hands out a pointer, the round trip is ranked among views too. As the best of a column
    it would make the ratios of all other codecs meaningless."""
    monkeypatch.setenv("FAKE_OPERATIONS", "encode decode native_roundtrip roundtrip")
    assert verify(unit).views == ()
    found = verify(faulty(unit, "view@encode"))
    assert found.ok and found.views == ("encode", "native_roundtrip")


def test_wrong_values_are_named_with_their_place(unit: Unit) -> None:
    found = verify(faulty(unit, "wrong"))
    assert not found.ok
    assert "decode:reuse does not round-trip: message 31, Monsters.monsters[0].path" in found.reason


@pytest.mark.parametrize("command", ["check", "encode", "decode"])
@pytest.mark.parametrize("fault", ["crash", "garbage", "exit", "error", "silent_end"])
def test_a_runner_that_fails_is_not_verified(unit: Unit, command: str, fault: str) -> None:
    found = verify(faulty(unit, f"{fault}@{command}"))
    assert not found.ok and found.reason


def test_a_runner_that_hangs_is_given_up(unit: Unit) -> None:
    found = verify(replace(faulty(unit, "hang@encode"), silence_limit_s=0.5))
    assert not found.ok and "hung: no output for 0.5 s" in found.reason


def test_a_runner_of_other_data_or_codec_is_refused(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_CODEC", "cpp/other")
    assert "has codec 'cpp/other'; expected 'cpp/cereal'" in verify(unit).reason
    monkeypatch.setenv("FAKE_SCHEMA", "0" * 64)
    assert "has schema '000" in verify(unit).reason


def test_only_what_passed_is_remembered(unit: Unit, tmp_path: Path) -> None:
    cache = tmp_path / "verified"
    assert not verify_cached(cache, faulty(unit, "wrong")).ok
    assert not cache.exists()
    first = verify_cached(cache, unit)
    assert first.ok and len(list(cache.iterdir())) == 1
    # The same executable and data are not run again: a command that could not run is not missed.
    assert verify_cached(cache, replace(unit, silence_limit_s=1e-9)) == first


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("endless_line@encode", "a line of more than 1048576 bytes"),
        ("chatter@decode", "sent 'hello'; expected 'hello' first, and once"),
        ("garbage@check", "this is no event"),
        ("crash@after_done", "killed by signal 9"),
        ("exit@end", "ended with status 3"),
    ],
)
def test_a_runner_that_says_too_much_or_fails_at_its_end_is_not_verified(
    unit: Unit, fault: str, said: str
) -> None:
    found = verify(faulty(unit, fault))
    assert not found.ok and said in found.reason


def remembered(folder: Path, unit: Unit) -> bool:
    """Whether the result of an earlier verification is taken for the unit; the time limit is so short that a
    new verification fails."""
    return verify_cached(folder, replace(unit, silence_limit_s=1e-9)).ok


def test_what_is_remembered_knows_everything_that_decides(
    unit: Unit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "verified"
    assert verify_cached(folder, unit).ok and remembered(folder, unit)
    variant = unit.variant
    lossy = replace(unit, variant=replace(variant, tolerance=Tolerance(float_absolute=1e-6)))
    assert not remembered(folder, lossy)  # and the other way round, once a tolerance is removed
    other_schema = replace(unit.data, header=replace_schema(unit.data))
    assert not remembered(folder, replace(unit, data=other_schema))
    dynamic = replace(variant, codec=replace(variant.codec, dynamic=True))
    assert not remembered(folder, replace(unit, variant=dynamic))
    monkeypatch.setattr("serbench.verification.kept._verifier", lambda: "changed sources")
    assert not remembered(folder, unit)


def replace_schema(dataset: Dataset) -> Any:
    """The header of a dataset file, but with another schema; its other entries are unchanged."""
    return msgspec.structs.replace(dataset.header, schema={**dataset.header.schema, "root": "Vec3"})


@pytest.mark.parametrize(
    "damage", ["", "{", '{"ok": "yes"}', "[]", '{"ok": true, "reason": "", "size_bytes": -1}']
)
def test_a_damaged_memory_is_verified_anew(unit: Unit, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "verified"
    first = verify_cached(folder, unit)
    (entry,) = folder.iterdir()
    entry.write_text(damage)
    assert not remembered(folder, unit)
    assert verify_cached(folder, unit) == first and remembered(folder, unit)


def _with_first_x(dataset: Dataset, x: float) -> bytes:
    """The dataset's messages with another value of ``monsters[0].pos.x``."""
    root = dataset.schema().root
    (message,) = dataset.read_messages()
    (monsters,) = decode(root, message)
    first = (((x, *monsters[0][0][1:])), *monsters[0][1:])
    return join_messages([encode(root, ([first, *monsters[1:]],))])


def test_a_difference_passes_only_within_the_declared_tolerance(unit: Unit) -> None:
    (message,) = unit.data.read_messages()
    x = decode(unit.data.schema().root, message)[0][0][0][0]
    changed = _with_first_x(unit.data, x + 0.004)
    assert "Monsters.monsters[0].pos.x" in (find_difference(unit.data, changed, Tolerance()) or "")
    assert "Monsters.monsters[0].pos.x" in (
        find_difference(unit.data, changed, Tolerance(negative_zero=True)) or ""
    )
    assert find_difference(unit.data, changed, Tolerance(float_absolute=0.005)) is None
    assert find_difference(unit.data, changed, Tolerance(float_absolute=0.001)) is not None


def test_of_many_data_some_messages_are_watched_from_all_parts(
    unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = Paths(PROJECT, unit.data.path.parent)
    spec = parse_workload("monsters:count=40", load_workloads(paths.workloads))
    unit = replace(unit, spec=spec, data=dataset_for(spec, paths))
    messages = [bytes(message) for message in unit.data.read_messages()]
    with to_watch(unit) as data:
        assert data is unit.data
    monkeypatch.setattr(watching, "ENOUGH_BYTES", unit.data.canonical_bytes // 8)
    with to_watch(unit) as data:
        assert [bytes(message) for message in data.read_messages()] == messages[::9]
        assert data.schema().digest() == unit.data.schema().digest()
    assert not data.path.exists()
    assert verify(unit).ok
    monkeypatch.setattr(watching, "WATCHED_BYTES", 1)
    with to_watch(unit) as data:
        assert data is unit.edge
