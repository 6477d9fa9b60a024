"""The cache of datasets. Each is generated once; an index leads from what was asked for to the dataset's
file, which is named by its digest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from serbench.dataset.canonical import decode
from serbench.dataset.edges import edge_values
from serbench.dataset.file import ORIGIN, Dataset, read_dataset, write_dataset, write_messages
from serbench.dataset.values import NO_LIMITS, Limits
from serbench.errors import DatasetError, FileError, ValueMismatch, line_of
from serbench.paths import Paths
from serbench.system.files import read_text
from serbench.system.whole import write_atomically
from serbench.workload import WorkloadSpec

_FILE_NAME = re.compile(r"[\w+-][\w.+-]{0,254}")


def dataset_for(spec: WorkloadSpec, paths: Paths, make: bool = True) -> Dataset:
    """Return the workload's data with these parameters and changes, from the cache if they were made before.

    Args:
        make: whether data that were not made before are made.

    Raises:
        DatasetError: the generator fails, a value does not fit the schema or cannot be changed, the cached
            file is truncated or altered, or the data were not made and are not to be; a damaged file is never
            silently replaced, since earlier results refer to it.
    """
    origin = {ORIGIN: spec.workload.origin.kind} if spec.workload.origin else {}  # tells what is private
    if spec.changes:
        parameters = {**spec.parameters, "changes": spec.changes, **origin}
        if spec.by_bytes:
            write = write_messages
            return _cached(spec, paths, "data", parameters, lambda: _changed(spec, paths, bytes), write, make)
        read = partial(decode, spec.declared.workload.schema.root)
        return _cached(spec, paths, "data", parameters, lambda: _changed(spec, paths, read), make=make)
    if not spec.workload.data:
        return _cached(spec, paths, "data", spec.parameters, lambda: _generated(spec), make=make)
    whole = read_dataset(spec.workload.data, named_by_digest=True, remedy="import it again")
    count = spec.parameters["count"]
    if count == whole.messages:
        return whole
    root = spec.workload.schema.root
    return _cached(
        spec,
        paths,
        "data",
        {**spec.parameters, **origin},
        lambda: (decode(root, each) for each in islice(whole.read_messages(), count)),
        make=make,
    )


def edge_dataset_for(spec: WorkloadSpec, paths: Paths, limits: Limits = NO_LIMITS) -> Dataset:
    """Return a dataset of edge values of the root type, within ``limits``, for verification."""
    parameters = {"edge": True, **limits.parameters()}
    return _cached(spec, paths, "edge", parameters, lambda: edge_values(spec.workload.schema.root, limits))


def _cached(
    spec: WorkloadSpec,
    paths: Paths,
    kind: str,
    parameters: dict[str, Any],
    values: Callable[[], Iterable[Any]],
    write: Callable[..., Dataset] = write_dataset,
    make: bool = True,
) -> Dataset:
    asked = {
        "kind": kind,
        "parameters": parameters,
        "schema": spec.workload.schema.digest(),
        "sources": _sources_digest(spec),
    }
    key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]
    index = paths.datasets / "index" / f"{spec.workload.name}-{key}"
    if path := _indexed(index, paths.datasets):
        return read_dataset(path, named_by_digest=True)
    if not make:
        raise DatasetError(f"workload {spec.id}: its data were not made yet")
    dataset = write(paths.datasets, spec.workload.name, parameters, spec.workload.schema, values())
    write_atomically(index, dataset.path.name)
    return dataset


def _indexed(index: Path, datasets: Path) -> Path | None:
    """Return the file that an index entry names; None if there is no such entry or file, or the entry was cut
    off or altered."""
    try:
        name = read_text(index, "index of datasets").strip() if index.exists() else ""
    except FileError:
        return None
    path = datasets / name
    return path if _FILE_NAME.fullmatch(name) and path.is_file() else None


def _generated(spec: WorkloadSpec) -> Iterator[Any]:
    """Yield the values that a workload generates; raise DatasetError, which names the line, where the
    generator fails."""
    try:
        yield from spec.workload.generate(**spec.parameters)
    except Exception as error:
        where = f"{spec.workload.source}{line_of(spec.workload.source, error)}"
        raise DatasetError(
            f"workload {spec.id}: its generator failed at {where}: {type(error).__name__}: {error}"
        ) from error


def _changed(spec: WorkloadSpec, paths: Paths, read: Callable[[Any], Any]) -> Iterable[Any]:
    """Return the changed messages of a workload, each made of what ``read`` gives of its canonical bytes;
    raise DatasetError, with the path, where a value cannot be changed."""
    root = spec.declared.workload.schema.root
    messages = list(dataset_for(spec.declared, paths).read_messages())
    try:
        return spec.changed(messages, read)
    except ValueMismatch as error:
        where = f"{root.name}{error}"
        raise DatasetError(f"workload {spec.id}: a message cannot be changed: {where}") from error


def _sources_digest(spec: WorkloadSpec) -> str:
    """Return a digest of the sources that decide what is generated, so that a workload whose generator has
    changed does not get old data from the cache."""
    here = Path(__file__).parent
    rooms = ["drawing", "changes"] if spec.changes else ["drawing"]
    own = [sorted((here.parent / room).glob("*.py")) for room in rooms]
    sources = [spec.workload.source, here / "canonical.py", here / "values.py", *chain(*own)]
    digest = hashlib.sha256()
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()
