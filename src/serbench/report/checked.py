"""The checks of each codec's ``deserialize``, as letters: a codec that checks less has less to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from serbench.codecs.codec import CHECKS, CONFORMANT, HARMS
from serbench.measure.manifest import Manifest
from serbench.report.gathering import gathered

_READING = ("deserialize", "decode", "extract", "roundtrip", "cycle", "update")

LETTERS = {name: name[0] for name in CHECKS}

LEGEND = (
    f"checks of deserialize: {', '.join(f'{LETTERS[name]} {meaning}' for name, meaning in CHECKS.items())}."
)


_MEANT = {"crash": "crash", "hang": "hang", "memory": "more than 1 GiB"}


def letters(checks: Sequence[str] | None) -> str:
    """Return checks as letters, such as ``b·u·`` with a dot for each that is not made; ``?`` if unknown."""
    return "?" if checks is None else "".join(LETTERS[name] if name in checks else "·" for name in CHECKS)


def shows_checks(manifest: Manifest, operations: Iterable[str]) -> bool:
    """Whether a table of these operations, with or without a memory policy, should show checks: an operation
    decodes, and the run knows the checks of some codec."""
    return bool(manifest.checks) and any(word in operation for operation in operations for word in _READING)


def together(manifest: Manifest, names: Iterable[tuple[str, str]]) -> str:
    """A line that groups codecs by what they check, those that check most first. ``names`` has each codec
    variant with the name that the line gives it."""
    by_letters = gathered((letters(manifest.checks.get(codec)), name) for codec, name in names)
    groups = sorted(by_letters.items(), key=lambda item: (item[0].count("·"), item[0]))
    return "; ".join(f"{shown}: {', '.join(dict.fromkeys(named))}" for shown, named in groups)


def remarks(manifest: Manifest, names: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The lines on what was seen of codecs beside their checks: what they declare and do not do, the harm of
    malformed messages, and where they stray from their format."""
    for told in (unseen(manifest, names), harmed(manifest.hostile, names), astray(manifest.features, names)):
        if told:
            yield told


def unseen(manifest: Manifest, names: Iterable[tuple[str, str]]) -> str:
    """A line on the checks that a user's own codecs declare but were not seen to make, if any."""
    told = dict.fromkeys(
        f"{name} {' '.join(manifest.unseen[codec])}" for codec, name in names if codec in manifest.unseen
    )
    if not told:
        return ""
    return f"Declared, but not seen when malformed messages were fed, and so not marked: {', '.join(told)}."


def harmed(declared: Mapping[str, Sequence[str] | None], names: Iterable[tuple[str, str]]) -> str:
    """A line on the harm that hostile messages do to the codecs that declare it; empty if there is none."""
    by_harm = gathered(
        (", ".join(_MEANT[harm] for harm in HARMS if harm in harms), name)
        for codec, name in names
        if (harms := declared.get(codec))
    )
    told = "; ".join(f"{harms}: {', '.join(dict.fromkeys(named))}" for harms, named in by_harm.items())
    return f"Some malformed messages harm deserialize, because of the library itself: {told}." if told else ""


def astray(features: Mapping[str, Mapping[str, bool]], names: Iterable[tuple[str, str]]) -> str:
    """A line on the codecs that were seen, with the version that was measured, to do something else than the
    specification of their format says; empty if there are none."""
    told = dict.fromkeys(name for codec, name in names if features.get(codec, {}).get(CONFORMANT) is False)
    return f"Not in all cases as the specification of the format says: {', '.join(told)}." if told else ""
