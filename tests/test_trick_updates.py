"""Tests of programs that cheat when they change values in messages: they leave the bytes as they are, change
another value, or give bytes that they remember. All are caught, in place as well as where a message is
decoded and encoded.

Each language has one adapter that changes a value in place, ``tricks:updates``, and one that encodes what was
changed, ``tricks:chosen``; an environment variable chooses the trick.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.refusals import refusals
from tests.test_trick_hands import unit_of

from serbench.codecs.codec import IN_PLACE, REWRITTEN
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.selection import POLICIES, Operation
from serbench.verification.contract import verify
from serbench.verification.updating import update_of

pytestmark = pytest.mark.native

LANGUAGES = ("cpp", "rust")
"""The languages whose programs change values."""

WHOLE = "small_struct:count=1"

TRICKS = {
    "updates": ("nothing", "another", "pairs", "remembered"),
    "chosen": ("encode", "decode", "both"),
}
"""Variant → its tricks: it leaves bytes as they are, changes another value, leaves out two of four calls, or
gives remembered bytes; and the hand by which it gives remembered bytes or values."""

BEGINNINGS = {"updates": ("always", "measure", "after_50ms"), "chosen": ("always", "after_50ms")}
"""Variant → the triggers that its tricks are tried with. ``chosen`` looks at its command line in every tenth
call, which is never one of its encoder's where it decodes and encodes in turn."""

WORDS = (
    "after its values changed: the timed code returns remembered results, or skips work",
    "times as long for new messages as for known ones: the timed code returns remembered results",
    "leaves other values: ",
)
"""The errors about tricks; each gets one of these."""


@cache
def units_of(language: str, variant: str) -> tuple[Unit, Unit]:
    """The unit of an adapter that changes a value, and the verified one that writes the messages."""
    whole = unit_of(language, variant, WHOLE)
    found = verify(whole)
    assert found.ok, found.reason
    return unit_of(language, variant, f"{WHOLE}/update=siblings"), replace(whole, verification=found)


def refused(language: str, variant: str) -> list[str]:
    """The reasons for which a unit or its samples are refused, if they are."""
    unit = update_of(Paths.default(), *units_of(language, variant))
    if unit.status != "ok":
        return [unit.reason]
    assert unit.way == (IN_PLACE if variant == "updates" else REWRITTEN)
    return refusals(unit, [Operation("update", memory) for memory in POLICIES])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests all tricks with ``--all``, otherwise each once, in one of the languages."""
    if "trick" in metafunc.fixturenames:
        every = [(variant, trick) for variant, own in TRICKS.items() for trick in own]
        tricks = [
            (language, variant, trigger, trick)
            for n, (variant, trick) in enumerate(every)
            for k, language in enumerate(LANGUAGES)
            for m, trigger in enumerate(BEGINNINGS[variant])
            if metafunc.config.getoption("all")
            or (k == n % len(LANGUAGES) and m == n % len(BEGINNINGS[variant]))
        ]
        names = ("language", "variant", "trigger", "trick")
        metafunc.parametrize(names, tricks, ids=map("-".join, tricks))


def test_no_update_that_cheats_gets_through(
    language: str, variant: str, trigger: str, trick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERBENCH_TRICK", raising=False)
    units_of(language, variant)
    monkeypatch.setenv("SERBENCH_TRICK", f"{trigger}/{trick}")
    reasons = refused(language, variant)
    assert reasons and all(any(words in reason for words in WORDS) for reason in reasons), reasons


@pytest.mark.parametrize("variant", TRICKS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_adapter_without_a_trick_updates(
    language: str, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERBENCH_TRICK", raising=False)
    assert refused(language, variant) == []
