"""Tests of a simulated fleet on Dask: its scheduler, workers and connections are real, only its samples are
made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support import raw_events
from tests.test_cluster import samples_of

from serbench.cluster.address import parse_address
from serbench.measure.parts import parts_of
from serbench.measure.store import Run
from serbench.report.machines_table import machines_tables
from serbench.report.rows import rows_of

pytest.importorskip("distributed", reason="needs distributed, from the extra serbench[cluster]")

if True:  # they import what may be missing
    from tests.simulated_dask import started
    from tests.simulated_fleet import SAMPLES, measured
    from tests.simulated_workers import answer

    from serbench.cluster.engine import connected

CODECS, ROUNDS = 3, 2


def test_every_sample_is_there_once_though_machines_die(tmp_path: Path) -> None:
    with (
        started(tmp_path, machines=4, failing=0.1, latency_s=0.01) as cluster,
        connected(parse_address(cluster.address, False), answer) as engine,
    ):
        run = measured(tmp_path, engine, CODECS, ROUNDS)
        used = (cluster.scheduler_s, cluster.workers_s, cluster.scheduler_mb)
    assert all(used)
    parts = parts_of(Run(run.directory))
    assert [part.directory.name for part in parts] == ["m0000", "m0001", "m0002", "m0003"]
    for part in parts:
        counts = samples_of(part)
        assert len(counts) == CODECS * 3 * ROUNDS and set(counts.values()) == {SAMPLES}
        assert part.taken.ended and len(rows_of(part)) == CODECS * 3
    assert any(event["event"] == "resume" for part in parts for event in raw_events(part)), "none died"
    tables = {table.title: table for table in machines_tables(Run(run.directory))}
    assert len(tables["machines"].rows) == 4
