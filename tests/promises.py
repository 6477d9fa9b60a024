"""The notion of a rule for schemas that change, as a format's document states it, and the exchange of
messages that shows whether it holds.

All rules of a format share one pair of programs. The root of its workload has one optional record for each
rule; in each message one of them is present.
"""

from __future__ import annotations

import importlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Literal

from tests.promised_json import REFUSED, through_json
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes import parse_all
from serbench.changes.derived import MARK
from serbench.codecs.codec import Variant
from serbench.dataset.canonical import encode
from serbench.errors import ValueMismatch
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.model import Field, Optional, Record, Schema
from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.evolution import Direction, Way, Word, evolve
from serbench.workload import Workload, WorkloadSpec

FILE = PROJECT / "docs" / "laboratory" / "promises.json"
DIRECTIONS: tuple[Direction, ...] = ("backward", "forward")
VARIANTS = load_variants(PATHS.codecs)

JSON_FORM, BYTES_ALONE = "JSON form", "bytes alone"
FORMS = {
    JSON_FORM: "messages are handed over in the JSON form, by the official library of Python",
    BYTES_ALONE: "a reader that takes the writer's schema does not get it",
}
"""Stands behind a variant's id and a comma → the way in which its programs exchange messages."""

Promise = Word | Literal["unsafe", ""]
"""An outcome; ``unsafe`` where the document says only that the change is not safe, or says nothing; empty for
a direction that the rule does not speak of."""

Examples = Sequence[tuple[Any, Any]]
"""Values of the writer's record, each with what a reader has of it that does as users want."""


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule of a document.

    Attributes:
        name: the name of the field that has the rule's record.
        says: the rule in our words.
        old: the record before the change.
        new: the record after it, or the text of a change.
        backward: values of the old record, and what a reader of the new one should have of them.
        forward: values of the new record, and what a reader of the old one should have of them.
        promised: the promised outcome of each direction.
    """

    name: str
    says: str
    old: Record
    new: Record | str
    backward: Examples
    forward: Examples
    promised: tuple[Promise, Promise] = ("kept", "kept")

    @property
    def changed(self) -> Record:
        """The record after the change."""
        if isinstance(self.new, Record):
            return self.new
        root: Record = parse_all([self.new], Schema("rule", self.old)).new.root
        return root


@dataclass(frozen=True)
class Difference:
    """Outcomes that are not the promised ones.

    Attributes:
        rule: the name of the rule.
        codecs: patterns of the ids of variants.
        why: the reason, as a sentence.
    """

    rule: str
    codecs: tuple[str, ...]
    why: str

    def is_of(self, rule: str, codec: str) -> bool:
        return rule == self.rule and any(fnmatchcase(codec, pattern) for pattern in self.codecs)


@dataclass(frozen=True, eq=False)
class Document:
    """A document with rules.

    Attributes:
        format: the format's short name, such as ``proto``.
        name: the format's name for people.
        title: the document, and the part of it that has the rules.
        variants: the ids of the variants with which the rules are tried; the first of each library is tried
            in every run of the tests, if it is Python's.
        besides: others that are shown too, a variant's id and a form (``FORMS``), of which nothing is
            promised.
        note: a remark on ``besides``.
        needs_both: whether the promises are those of a reader that has the writer's schema too.
        left_out: rules that cannot be tried here, each with the reason.
    """

    format: str
    name: str
    title: str
    variants: Sequence[str]
    rules: Sequence[Rule]
    differences: Sequence[Difference] = ()
    left_out: Sequence[str] = ()
    besides: Sequence[str] = ()
    note: str = ""
    needs_both: bool = False

    def lacks(self, id: str) -> bool:
        """Whether a variant takes no writer's schema, which the promises need."""
        return self.needs_both and not takes_both(id)


def holds(name: str, /, **types: Any) -> Record:
    """A record with fields of these names and types."""
    return Record(name, [Field(field, type) for field, type in types.items()])


@dataclass(frozen=True)
class Pair:
    """The two workloads of some rules: before and after all changes."""

    rules: Sequence[Rule]
    old: WorkloadSpec
    new: WorkloadSpec

    def told(self, direction: Direction, rules: Sequence[Rule]) -> Callable[[Any], Any]:
        """The function that gives what a reader should have of a message of one of these rules; it raises
        ValueMismatch for any other message."""
        specs = (self.old, self.new) if direction == "backward" else (self.new, self.old)
        root = specs[0].workload.schema.root
        known = {
            encode(root, self._whole(rule, sent)): self._whole(rule, expected)
            for rule in rules
            for sent, expected in getattr(rule, direction)
        }

        def expected(value: Any) -> Any:
            key = encode(root, value)
            if key not in known:
                raise ValueMismatch(": no example of these rules")
            return known[key]

        return expected

    def _whole(self, rule: Rule, value: Any) -> tuple[Any, ...]:
        return tuple(value if each is rule else None for each in self.rules)

    def messages(self, direction: Direction) -> list[Any]:
        """All messages that are written for a direction."""
        return [self._whole(rule, sent) for rule in self.rules for sent, _ in getattr(rule, direction)]


def pair_of(name: str, rules: Sequence[Rule]) -> Pair:
    """The workloads of some rules of a format, whose generated code has ``name``."""

    def root(records: Sequence[Record]) -> Record:
        named = zip(rules, records, strict=True)
        return Record("Promises", [Field(rule.name, Optional(record)) for rule, record in named])

    def generate() -> Iterator[Any]:
        yield from pair.messages("backward")

    base = Workload(name, "rules of a document", root([rule.old for rule in rules]), generate)
    changed = Schema(name, root([rule.changed for rule in rules]))
    after = replace(base, name=f"{name}{MARK}{changed.digest()[:8]}", root=changed.root, base=base)
    new = WorkloadSpec(after, {}, ("changed",), lambda *_: pair.messages("forward"))
    pair = Pair(rules, WorkloadSpec(base, {}), new)
    return pair


def possible(variant: Variant, rules: Sequence[Rule]) -> list[Rule]:
    """The rules whose two records a variant can have."""

    def can(record: Record) -> bool:
        root = Record("Promises", [Field("rule", Optional(record))])
        return variant.why_not(Schema("rule", root)) is None

    return [rule for rule in rules if can(rule.old) and can(rule.changed)]


Told = tuple[str, str]
"""An outcome and its reason, or one of them for each direction."""


@dataclass(frozen=True)
class Seen:
    """The outcomes of the rules with a variant.

    Attributes:
        version: the version of the library.
        outcomes: name of the rule → its outcome in each direction; empty for a direction without examples.
        reasons: the same for what was said.
    """

    version: str
    outcomes: Mapping[str, Told]
    reasons: Mapping[str, Told]


@dataclass(frozen=True)
class Built:
    """The programs of a variant for the rules of a document that it can have."""

    pair: Pair
    old: Unit
    new: Unit
    version: str


@cache
def built(document: Document, id: str) -> Built:
    """Builds both programs of a variant for the rules of a document."""
    variant = VARIANTS[id]
    rules = possible(variant, document.rules)
    tag = "" if len(rules) == len(document.rules) else f"_{len(rules)}"
    pair = pair_of(f"promises_{document.format}{tag}", rules)
    specs = [pair.old, pair.new]
    builds = toolchains(PATHS, [variant], specs=specs)
    job = Job(PATHS, Chosen([variant], specs), builds, Permission(install=True))
    units = {unit.spec.id: unit for unit in prepare_builds(job)}
    old, new = (units[spec.id] for spec in specs)
    assert (old.status, new.status) == ("ok", "ok"), f"{old.reason}\n{new.reason}"
    return Built(pair, old, new, builds[0].found[variant.codec.name].version)


def takes_both(id: str) -> bool:
    """Whether the readers of a variant take the writer's schema."""
    return bool(getattr(VARIANTS[id.partition(", ")[0]].codec, "writer_schema", ""))


@cache
def seen(document: Document, id: str) -> Seen:
    """Has both programs of a variant, or of a variant in one of the ``FORMS``, read each other's messages."""
    variant, _, form = id.partition(", ")
    programs = built(document, variant)
    rules = programs.pair.rules
    known = stored().get(document.format, {}).get(id, {}).get("outcomes", {})
    found: list[dict[str, Told]] = []
    for n, direction in enumerate(DIRECTIONS):
        writer, reader = (programs.old, programs.new) if n == 0 else (programs.new, programs.old)
        with ExitStack() as during:
            if form == JSON_FORM:
                during.enter_context(through_json(writer, reader))
            elif form != BYTES_ALONE and takes_both(id):
                folder = Path(during.enter_context(tempfile.TemporaryDirectory()))
                given = importlib.import_module("serbench.verification.writers").given
                reader = given(reader, writer, folder)
            way = Way(direction, writer, reader, programs.pair.told(direction, rules))
            found.append(
                _exchanged(programs.pair, way, {rule.name: _expected(rule, n, known) for rule in rules})
            )

    def told(n: int) -> dict[str, Told]:
        both = [[each.get(rule.name, ("", ""))[n] for each in found] for rule in rules]
        return {rule.name: (one, other) for rule, (one, other) in zip(rules, both, strict=True)}

    return Seen(programs.version, told(0), told(1))


def _expected(rule: Rule, direction: int, known: Mapping[str, Sequence[str]]) -> str:
    """The outcome that was seen before, or else the promised one."""
    return known[rule.name][direction] if rule.name in known else rule.promised[direction]


def _exchanged(pair: Pair, way: Way, expected: Mapping[str, str]) -> dict[str, Told]:
    """The outcome and the reason of each rule that has examples for a way's direction.

    Rules by which all should be kept are tried together, and in halves where that fails; each of the others
    is tried by itself, since an exchange tells the worst outcome of its messages.
    """

    def outcome(rules: Sequence[Rule]) -> Told:
        found = evolve(replace(way, expected=pair.told(way.direction, rules)), "", "", PATHS)
        if found.reason.startswith(REFUSED):
            return "refused", found.reason
        assert found.outcome != "not tried", found.reason
        return found.outcome, found.reason.partition("\n")[0]

    tried = [rule for rule in pair.rules if getattr(rule, way.direction)]
    together = [rule for rule in tried if expected[rule.name] == "kept"]
    groups = [[rule] for rule in tried if rule not in together] + ([together] if together else [])
    found: dict[str, Told] = {}
    with ThreadPoolExecutor(2) as pool:
        while groups:
            outcomes = list(pool.map(outcome, groups))
            failed = []
            for rules, each in zip(groups, outcomes, strict=True):
                if each[0] == "kept" or len(rules) == 1:
                    found |= {rule.name: each for rule in rules}
                else:
                    failed += [rules[: len(rules) // 2], rules[len(rules) // 2 :]]
            groups = failed
    return found


def stored() -> dict[str, dict[str, Any]]:
    """The outcomes that are stored, by format and variant."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


def store(format: str, id: str, found: Mapping[str, Any]) -> None:
    """Puts what was seen with a variant into the file."""
    known = stored()
    known.setdefault(format, {})[id] = dict(found)
    write(known)


def write(found: Mapping[str, Any]) -> None:
    """Writes the file anew, with each list in one line."""
    text = json.dumps(found, indent=1, sort_keys=True)
    FILE.write_text(re.sub(r"\[[^][{}]*\]", lambda m: re.sub(r"\s+", " ", m[0]), text) + "\n")
