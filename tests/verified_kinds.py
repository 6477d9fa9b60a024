"""Makes ``docs/types-by-codec.json``, the file of the kinds of types with which codecs were verified.

All kinds that a variant declares itself able to do are one workload, so that one program tests all of them
and none hides another; variants that can do the same kinds share the workload. If one fails, it is halved
until it is known which kinds fail.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support import verify_cached

from serbench.building.prepare import prepare_builds
from serbench.codecs.codec import Variant
from serbench.dataset.edges import edge_values
from serbench.dataset.values import Limits
from serbench.errors import BuildError, SetupError
from serbench.languages import languages
from serbench.languages.base import BuildOrder, Toolchain
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.model import Schema
from serbench.model.kinds import KINDS, WRITTEN_NAME, schema_of
from serbench.paths import PROJECT, Paths
from serbench.selecting.selection import Chosen
from serbench.verification.contract import encode
from serbench.workload import Workload, WorkloadSpec

FILE = PROJECT / "docs" / "types-by-codec.json"
COMMAND = "SERBENCH_UPDATE_GOLDEN=1 ./serbench test --all tests/test_native_kinds.py tests/test_codec_page.py"

Kinds = tuple[str, ...]


@dataclass(frozen=True)
class Verified:
    """The result of verifying the kinds of types of a variant.

    Attributes:
        version: the version of the variant's library; empty if the library does not tell.
        missing: why the variant was not built, such as a library that is not installed; empty if it was
            built.
        kinds: the kinds that passed.
        failed: the kinds that failed → the reasons.
        names: whether encoded bytes hold the written name of a field.
    """

    version: str = ""
    missing: str = ""
    kinds: Kinds = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    names: bool = False


@cache
def schema_alone(kind: str) -> Schema:
    """A schema with this kind of type alone."""
    return schema_of([kind])


def possible(variant: Variant) -> Kinds:
    """The kinds that a variant declares itself able to do."""
    return tuple(kind for kind in KINDS if variant.why_not(schema_alone(kind)) is None)


def load() -> dict[str, Verified]:
    """The results in ``docs/types-by-codec.json``, by variant id; in the file, variants with the same kinds
    share a list."""
    data = json.loads(FILE.read_text())
    return {
        id: Verified(**{**each, "kinds": tuple(data["kinds"][each["kinds"]])} if "kinds" in each else each)
        for id, each in data["variants"].items()
    }


def dump(found: Mapping[str, Verified]) -> str:
    """The text of ``docs/types-by-codec.json`` that holds these results, by variant id."""
    lists = list(dict.fromkeys(each.kinds for _, each in sorted(found.items()) if each.kinds))
    variants = {}
    for id, each in sorted(found.items()):
        told: dict[str, Any] = {key: value for key, value in asdict(each).items() if value}
        variants[id] = told | ({"kinds": lists.index(each.kinds)} if each.kinds else {})
    return json.dumps({"kinds": lists, "variants": variants}, indent=1) + "\n"


LEAST = Limits((-1.0, 1.0), 1, (1 << 53) - 3, no_nul_in_keys=True, greatest_character=0x1FFFF)
"""The limits on values that every codec keeps to; most codecs take values beyond them."""


def workload_of(kinds: Kinds) -> Workload:
    """A workload with a field of each kind; its name depends on the kinds. Its data are within every codec's
    limits, while edge values go to the limits of the codec that is verified."""
    name = f"kinds_{hashlib.sha256(json.dumps(kinds).encode()).hexdigest()[:8]}"
    root = schema_of(kinds, name).root
    return Workload(name, f"{len(kinds)} kinds of types", root, lambda: iter(edge_values(root, LEAST)[:4]))


Built = Callable[[Kinds, Sequence[Variant]], Iterable[tuple[Variant, Verified]]]
"""A function that builds variants with kinds and verifies them; each variant fails with all of the kinds or
with none."""


def found_of(variants: Sequence[Variant], built: Built) -> dict[str, Verified]:
    """Verifies the kinds of each variant that can do any of them; returns the results by variant id."""
    shared: dict[Kinds, list[Variant]] = {}
    for variant in variants:
        if kinds := possible(variant):
            shared.setdefault(kinds, []).append(variant)
    return {v.id: each for kinds, own in shared.items() for v, each in _halved(kinds, own, built)}


def _halved(kinds: Kinds, variants: Sequence[Variant], built: Built) -> Iterator[tuple[Variant, Verified]]:
    for variant, whole in built(kinds, variants):
        if not whole.failed or len(kinds) == 1:
            yield variant, whole
            continue
        middle = len(kinds) // 2
        parts = [
            each for half in (kinds[:middle], kinds[middle:]) for _, each in _halved(half, [variant], built)
        ]
        failed = {kind: reason for part in parts for kind, reason in part.failed.items()}
        good = tuple(kind for part in parts for kind in part.kinds)
        # If only the whole fails, no kind of it is verified: each might hide what the others do to it.
        yield (
            variant,
            whole
            if not failed
            else Verified(whole.version, "", good, failed, any(part.names for part in parts)),
        )


def build_and_verify(paths: Paths) -> Built:
    """A function that verifies kinds by real builds; the folders of builds are kept."""

    def built(kinds: Kinds, variants: Sequence[Variant]) -> Iterator[tuple[Variant, Verified]]:
        workload = workload_of(kinds)
        (language,) = {variant.codec.language for variant in variants}
        codecs = list({v.codec.id: v.codec for v in variants}.values())
        try:
            builds: list[Toolchain] = list(
                languages()[language].toolchains(BuildOrder(paths, codecs, [workload]))
            )
            units = prepare_builds(Job(paths, Chosen(variants, [WorkloadSpec(workload, {})]), builds))
        except (SetupError, BuildError) as error:
            yield from ((variant, Verified(missing=str(error))) for variant in variants)
            return
        for unit in units:
            yield (
                unit.variant,
                _verified(unit, kinds, builds[0].found[unit.variant.codec.name].version, paths),
            )

    return built


def _verified(unit: Unit, kinds: Kinds, version: str, paths: Paths) -> Verified:
    if unit.status == "not_installed":
        return Verified(missing=unit.reason)
    found = verify_cached(paths.home / "verified", unit) if unit.status == "ok" else None
    if found is None or not found.ok:
        return Verified(version, "", (), dict.fromkeys(kinds, found.reason if found else unit.reason))
    return Verified(version, "", kinds, {}, WRITTEN_NAME in kinds and _holds(unit, b"@spelt"))


def _holds(unit: Unit, name: bytes) -> bool:
    with TemporaryDirectory(prefix="serbench-") as folder:
        encoded = Path(folder) / "encoded"
        encode(unit, unit.edge, "reuse", encoded)
        return name in encoded.read_bytes()
