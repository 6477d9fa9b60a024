"""``serbench verify --sanitize``: build units with sanitizers, and show the faults that these find."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace

from serbench.building.prepare import Listener, prepare_sanitized
from serbench.cli import options
from serbench.cli.console import Steps, announce
from serbench.cli.ends import as_far_as_it_goes, end_shown
from serbench.cli.selected import to_build
from serbench.errors import StoppedEarly
from serbench.languages.base import Progress, Sanitizes
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.report.sanitize_table import record_of, sanitize_tables
from serbench.report.show import show
from serbench.system.cores import usable_cores
from serbench.verification.sanitize import Sanitized, sanitize


def verify_sanitized(job: Job, format: options.TableFormat) -> None:
    """Builds with sanitizers, shows the faults, and exits with 1 if one is in our own code or undeclared."""
    job = to_build(job)
    with Steps("building") as steps:
        made = prepare_sanitized(job, Listener(announce, steps.step))
    with Steps("sanitizing") as steps:
        made = [(replace(unit, silence_limit_s=job.time_limit_s), sanitizers) for unit, sanitizers in made]
        found, lacking = as_far_as_it_goes(lambda: sanitized(made, steps.step), len(made))
    show(sanitize_tables(found), [record_of(each) for each in found], format.value)
    end_shown(any(each.status == "failed" for each in found), lacking)


def sanitized(made: Sequence[tuple[Unit, Sanitizes | None]], step: Progress) -> list[Sanitized]:
    """Run the units that were built, at once on all cores; return the faults found in each, in their order.

    Raises:
        StoppedEarly: it was interrupted; has the results that are there.
    """
    results = [Sanitized(unit) for unit, _ in made]
    unsettled = {n for n, (unit, sanitizers) in enumerate(made) if sanitizers and unit.status == "ok"}
    pool = ThreadPoolExecutor(max_workers=usable_cores())
    try:
        running = {
            pool.submit(sanitize, unit, sanitizers): n
            for n, (unit, sanitizers) in enumerate(made)
            if sanitizers and n in unsettled
        }
        for done, future in enumerate(as_completed(running), 1):
            n = running[future]
            results[n] = future.result()
            unsettled.remove(n)
            step(done, len(running), results[n].unit.identity.title)
    except KeyboardInterrupt:
        raise StoppedEarly([each for n, each in enumerate(results) if n not in unsettled]) from None
    finally:
        pool.shutdown(cancel_futures=True)
    return results
