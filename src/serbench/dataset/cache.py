"""Datasets are generated once: an index from what was asked for to the file named by its digest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from serbench.dataset.file import Dataset, read_dataset, write_dataset
from serbench.dataset.values import edge_values
from serbench.paths import Paths
from serbench.workload import WorkloadSpec


def dataset_for(spec: WorkloadSpec, paths: Paths) -> Dataset:
    """The workload's data with these parameters, from the cache where it was generated before.

    Raises:
        DatasetError: the cached file is truncated or altered; it is never silently replaced, since
            earlier results refer to it.
    """
    return _cached(spec, paths, "data")


def edge_dataset_for(spec: WorkloadSpec, paths: Paths, float_range: tuple[float, float] | None = None) -> Dataset:
    """Edge values of the workload's root, for verification; ``float_range`` as ``edge_values`` has it."""
    return _cached(spec, paths, "edge", float_range)


def _cached(spec: WorkloadSpec, paths: Paths, kind: str, float_range: tuple[float, float] | None = None) -> Dataset:
    parameters = spec.parameters if kind == "data" else {"edge": True, "float_range": list(float_range or ())}
    asked = {
        "kind": kind,
        "parameters": parameters,
        "schema": spec.workload.schema.digest(),
        "sources": _sources_digest(spec),
    }
    key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]
    index = paths.datasets / "index" / f"{spec.workload.name}-{key}"
    if index.exists():
        path = paths.datasets / index.read_text().strip()
        if path.is_file():  # an index that was cut off names the folder
            return read_dataset(path, named_by_digest=True)
    values = spec.workload.generate(**parameters) if kind == "data" else edge_values(spec.workload.schema.root, float_range)
    dataset = write_dataset(paths.datasets, spec.workload.name, parameters, spec.workload.schema, values)
    index.parent.mkdir(parents=True, exist_ok=True)
    index.write_text(dataset.path.name)
    return dataset


def _sources_digest(spec: WorkloadSpec) -> str:
    """A digest of the sources that decide what is generated, so that a changed recipe is not served old data."""
    here = Path(__file__).parent
    sources = [spec.workload.source, here / "canonical.py", here / "values.py", here.parent / "draws.py"]
    digest = hashlib.sha256()
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()
