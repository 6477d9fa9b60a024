"""pyperf, against which the sampler of Python is checked."""

from __future__ import annotations

from serbench.languages.base import OtherSampler
from serbench.languages.python.environments import Environment
from serbench.system.files import write_if_changed

PYPERF = ("pyperf", ("pyperf",))
"""The sampler's name and requirements; the exact wheels are those of ``runners/python/crosscheck.lock``."""

SAMPLER = OtherSampler(
    title="pyperf",
    name="pyperf",
    # A library in Rust, one in C whose objects are its own, and Python alone; all of them allocate.
    codecs=("python/orjson:dataclass", "python/protobuf", "python/handwritten"),
    workload="monsters",
    sample_ns=10_000_000,
    samples=8,
)


def hooked(pyperf: Environment) -> None:
    """Write the files of a made-up package, beside pyperf, by which pyperf finds the runner's hook."""
    assert pyperf.libraries
    folder = pyperf.libraries / "serbench_hook-0.dist-info"
    folder.mkdir(exist_ok=True)
    write_if_changed(folder / "METADATA", "Metadata-Version: 2.1\nName: serbench_hook\nVersion: 0\n")
    write_if_changed(
        folder / "entry_points.txt", "[pyperf.hook]\nserbench = serbench_runner.by_pyperf:Readings\n"
    )
