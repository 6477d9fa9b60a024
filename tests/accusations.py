"""Counts how often verification accuses codecs by what only times, instructions or memory tell.

``PYTHONPATH=src python -m tests.accusations --load busy -c 'go/*'`` builds each codec with messages of 7, 70
and 700 bytes, and of 50 kB with 180 record types, and repeats the looks of ``verify``. What compares values
is done once. Each look is a line of a file, so that looks may be taken on several days; ``--tell`` only
prints what the file has.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

from serbench.building.prepare import Listener, prepare_builds, toolchains
from serbench.codecs.codec import Variant
from serbench.measure.composed import views_by_their_parts
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen, select_variants
from serbench.system.cores import usable_cores
from serbench.verification.contract import round_trips
from serbench.verification.units import Verifier
from serbench.workload import load_workloads, parse_workload

Lines = list[dict[str, Any]]

LOADED = load_workloads(Path(__file__).parent / "workloads" / "accused")
WORKLOADS = ("orders", "orders:bytes=70", "orders:bytes=700", "many_types")


def prepared(variants: Sequence[Variant], workloads: Sequence[str], paths: Paths) -> list[Unit]:
    """Return the variants with each workload, built or with the reason why they are not."""
    specs = [parse_workload(each, LOADED) for each in workloads]
    job = Job(paths, Chosen(variants, specs), toolchains(paths, variants, specs=specs), Permission(True))
    return prepare_builds(job, Listener(announce=print))


def built(variants: Sequence[Variant], workloads: Sequence[str], paths: Paths) -> list[Unit]:
    """Return the variants with each workload, built; print why others are not."""
    units = prepared(variants, workloads, paths)
    for unit in units:
        if unit.status != "ok":
            print(f"not looked at: {unit.name} × {unit.spec.id}: {unit.failure.splitlines()[0]}")
    return [unit for unit in units if unit.status == "ok"]


def with_trips(unit: Unit) -> Unit:
    """Return a unit with its round trips, which compare values, so that looks need not repeat them; print why
    they fail. Where round trips take times too, each look makes them."""
    if unit.round_trips or not unit.variant.codec.traits.quick_looks:
        return unit
    trips = round_trips(unit)
    if not trips.ok:
        print(f"not looked at: {unit.name} × {unit.spec.id}: {trips.reason.splitlines()[0]}")
    return replace(unit, round_trips=trips)


def looks(verifier: Verifier, units: Sequence[Unit]) -> Iterator[dict[str, Any]]:
    """Verify units as ``verify`` does: on all cores at once, and then again, alone, those whose first look is
    doubtful. Yield what a line of the file says of each."""

    def first(unit: Unit) -> tuple[Unit, bool, float]:
        begun = time.monotonic()
        return *verifier.first(unit), time.monotonic() - begun

    doubtful = list[tuple[Unit, float]]()
    with ThreadPoolExecutor(usable_cores()) as pool:
        for future in as_completed([pool.submit(first, unit) for unit in units]):
            seen, is_doubtful, seconds = future.result()
            if is_doubtful:
                doubtful.append((seen, seconds))
            else:
                yield line_of(seen, seen, seconds)
    for seen, seconds in doubtful:
        begun = time.monotonic()
        last = verifier.alone(seen)
        yield line_of(seen, last, seconds + time.monotonic() - begun)


def line_of(first: Unit, last: Unit, seconds: float) -> dict[str, Any]:
    """Return what a line of the file says of a unit, by its first look and by the one that counts."""
    found = last.verification
    assert first.verification and found
    views = sorted(set(found.views) - views_by_their_parts(found.views))
    seeming = set(first.verification.views) - views_by_their_parts(first.verification.views)
    suspected = first.verification.suspected
    return {
        "codec": last.variant.id,
        "workload": last.spec.id,
        "doubted": [suspected] * bool(suspected) + sorted(seeming.difference(views)),
        "failed": "" if found.ok else f"{found.suspected} {found.reason.splitlines()[0]}".strip(),
        "views": views,
        "grows": sorted(found.growth),
        "load": round(os.getloadavg()[0], 1),
        "seconds": round(seconds, 2),
    }


def usual_views(lines: Lines) -> set[tuple[str, str]]:
    """Return the codecs and cells that at least half of the looks at a codec call views, at whatever
    messages: to be a view says something of a codec, not of a message."""
    looks = Counter(line["codec"] for line in lines)
    called = Counter((line["codec"], cell) for line in lines for cell in line["views"])
    return {each for each, count in called.items() if 2 * count >= looks[each[0]]}


def accusations(line: dict[str, Any], views: Collection[tuple[str, str]]) -> list[str]:
    """Return the checks that accuse the codec of a line: ``failed``, or a cell that is called a view and is
    none of the usual ``views``, or a cell whose memory is said to grow."""
    seldom = [f"view {cell}" for cell in line["views"] if (line["codec"], cell) not in views]
    return ["failed"] * bool(line["failed"]) + seldom + [f"grows {cell}" for cell in line["grows"]]


def most(accused: int, looks: int) -> float:
    """Return the rate that so few accusations exclude with 95 %: about 3 / ``looks`` where there is none."""
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        fewer = sum(comb(looks, n) * rate**n * (1 - rate) ** (looks - n) for n in range(accused + 1))
        low, high = (rate, high) if fewer > 0.05 else (low, rate)
    return high


def tell(lines: Lines) -> None:
    """Print, for each kind of load, the looks and what accused whom."""
    views = usual_views(lines)
    for state in dict.fromkeys(line["state"] for line in lines):
        of_codecs = defaultdict[tuple[str, str], Lines](list)
        own = [line for line in lines if line["state"] == state]
        for line in own:
            of_codecs[line["codec"].partition("/")[0], line["workload"]].append(line)
        for (language, workload), some in of_codecs.items():
            blamed = sum(bool(accusations(line, views)) for line in some)
            doubted = sum(bool(line["doubted"]) for line in some)
            seconds, loads = ([line[key] for line in some] for key in ("seconds", "load"))
            print(
                f"{state:6} {language:10} {workload:16} {len({line['codec'] for line in some}):3} codecs "
                f"{len(some):5} looks, {median(seconds):5.1f} s each, load {min(loads)} to {max(loads)}: "
                f"{doubted} doubted, {blamed} accused"
            )
        blamed = sum(bool(accusations(line, views)) for line in own)
        rate = most(blamed, len(own))
        print(f"{state:6} in all {len(own)} looks: {blamed} accused; a rate below {100 * rate:.2g} % (95 %)")
        counts = Counter(
            (line["codec"], line["workload"], each) for line in own for each in accusations(line, views)
        )
        for (codec, workload, check), count in counts.most_common():
            print(f"  {codec} × {workload}: {check}: {count} times")
        for codec, cell in sorted(views):
            called = [cell in line["views"] for line in own if line["codec"] == codec]
            if not all(called):
                print(f"  {codec}: view {cell}: in {sum(called)} of {len(called)} looks")
        for line in own:
            if line["failed"]:
                print(f"  {line['codec']} × {line['workload']}: {line['failed']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-c", dest="codecs", action="append", help="codecs, taken language by language")
    parser.add_argument("-w", dest="workloads", action="append", choices=WORKLOADS, help="messages")
    parser.add_argument("--looks", type=int, default=20, help="of each codec and workload under this load")
    parser.add_argument("--load", default="idle", help="what runs beside, as lines call it: idle, busy")
    parser.add_argument("--keep", type=Path, default=Path("accusations.jsonl"), help="the file of lines")
    parser.add_argument("--tell", action="store_true", help="print what the file has, and do nothing else")
    asked, paths = parser.parse_args(), Paths.default()
    lines: Lines = [json.loads(line) for line in asked.keep.open()] if asked.keep.exists() else []
    done = Counter[tuple[str, str]](
        (line["codec"], line["workload"]) for line in lines if line["state"] == asked.load
    )

    def left(units: Sequence[Unit]) -> list[Unit]:
        return [unit for unit in units if done[unit.variant.id, unit.spec.id] < asked.looks]

    verifier = Verifier(None, paths.project)
    variants = select_variants(asked.codecs or ["*/*"], load_variants(paths.codecs))
    languages = dict.fromkeys(variant.codec.language for variant in variants)
    for language in [] if asked.tell else languages:
        own = [each for each in variants if each.codec.language == language]
        units = built(own, asked.workloads or WORKLOADS, paths)
        with ThreadPoolExecutor(usable_cores()) as pool:
            units = list(pool.map(with_trips, left(units)))
        units = [unit for unit in units if not unit.round_trips or unit.round_trips.ok]
        while some := left(units):
            for line in looks(verifier, some):
                lines.append({"state": asked.load, **line})
                done[line["codec"], line["workload"]] += 1
                with asked.keep.open("a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    tell(lines)


if __name__ == "__main__":
    main()
