"""The tables as which runs are exported, and what their columns mean; docs/data.md is made from this.

The tables are tidy: a row is one thing (a run, a codec of a run, a cell, a cost, a sample), and each of its
values is one number or one text, or empty if it is not known. Tables can be joined by the columns that they
share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["text", "whole", "number", "truth"]

Columns = dict[str, list[Any]]
"""Name of a column → its values; all columns of a table are equally long."""


@dataclass(frozen=True)
class Column:
    """A column of a table; ``meaning`` says its unit too."""

    name: str
    kind: Kind
    meaning: str


_RUN = Column("run", "text", "the run's id")
_OF_UNIT = (
    _RUN,
    Column("codec", "text", "the codec variant, as `list codecs` has it"),
    Column("workload", "text", "the workload with its parameters"),
    Column("compiler", "text", "empty where the language has one only"),
)
_OF_CELL = (
    *_OF_UNIT,
    Column("operation", "text", "`serialize`, `deserialize` and the others of `list operations`"),
    Column("memory", "text", "`reuse` or `fresh`"),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        _RUN,
        Column("started", "text", "when, as ISO 8601"),
        Column("suite", "text", "empty for none"),
        Column("ended", "truth", "whether its plan was carried to its end"),
        Column("serbench", "text", "the version that measured"),
        Column("revision", "text", "of its repository"),
        Column("processor", "text", "as the system calls it"),
        Column("microarchitecture", "text", "such as `zen4`"),
        Column("cores", "whole", "of the machine"),
        Column("memory_bytes", "whole", "of the machine"),
        Column("system", "text", "the operating system"),
        Column("kernel", "text", "its release"),
        Column("c_library", "text", "with version"),
        Column("virtual", "truth", "whether the machine is a guest"),
        Column("load_at_start", "number", "of the last minute before it"),
        Column("rounds", "whole", "that were planned at least"),
        Column("seed", "whole", "of the order"),
        Column("sampled_ns", "whole", "nanoseconds of all samples together"),
        Column("stolen_ns", "whole", "of these, what the hypervisor took"),
    ),
    "codecs": (
        _RUN,
        Column("codec", "text", "codec and variant"),
        Column("language", "text", "of the codec, as its id begins"),
        Column("library_version", "text", "empty where it is not known"),
        Column("own", "truth", "whether it is the user's and not built in"),
        Column("floor", "truth", "whether it is a bound and no contender"),
        Column("dynamic", "truth", "whether its library is linked dynamically"),
        Column("lossy", "text", "what it changes by design"),
        Column("checks", "text", "what deserializing checks, with spaces between"),
        Column("hostile", "text", "the harm that hostile messages do to it, with spaces between"),
        Column("features", "text", "what it has of `--need`, with spaces between"),
    ),
    "cells": (
        *_OF_CELL,
        Column("language", "text", "of the codec, as its id begins"),
        Column("status", "text", "`ok`, `failed`, `not_installed` or `unsupported`"),
        Column("reason", "text", "why it is not `ok`"),
        Column("rank", "whole", "of those too close to call, from 1; 0 is the floor"),
        Column("unsteady", "truth", "whether its own times vary too much to tell it from others of its rank"),
        Column(
            "constant_time_view",
            "truth",
            "whether it does not read the message; such are ranked among themselves",
        ),
        Column("undercuts_floor", "truth", "whether it takes less than the floor though it is no such view"),
        Column("messages", "whole", "of the dataset"),
        Column("size_bytes", "whole", "of all encoded messages"),
        Column("bytes_per_message", "number", "encoded"),
        Column("time_ns", "number", "nanoseconds of a pass over all messages"),
        Column("time_low_ns", "number", "of its interval"),
        Column("time_high_ns", "number", "of its interval"),
        Column("coverage", "number", "of the interval"),
        Column("mean_ns", "number", "of all samples, which codecs are not ranked by"),
        Column("ns_per_message", "number", "`time_ns` by `messages`"),
        Column("mb_per_s", "number", "encoded megabytes (10^6) in a second"),
        Column("ratio_best", "number", "to the best of its table, paired by round"),
        Column("ratio_low", "number", "of its interval"),
        Column("ratio_high", "number", "of its interval"),
        Column("rounds", "whole", "that its figures are of"),
        Column("samples", "whole", "that were taken"),
        Column("disturbed_samples", "whole", "of these, from which something else took time"),
        Column("unsettled_rounds", "whole", "still warming up when timing began"),
        Column("allocated_bytes", "number", "of a pass, where the runner tells"),
    ),
    "costs": (
        *_OF_CELL,
        Column("parcel", "text", "what is compressed at once: `message`, `block` or `byte`"),
        Column("compressor", "text", "of sizes on the wire"),
        Column(
            "cost",
            "text",
            "what was measured, such as `instructions_per_pass`, `peak_bytes` or `compile_time_ns`",
        ),
        Column("value", "number", "in the unit that its name ends with"),
    ),
    "samples": (
        *_OF_CELL,
        Column("round", "whole", "from 1"),
        Column("iterations", "whole", "passes of the batch"),
        Column("elapsed_ns", "whole", "nanoseconds of the batch"),
        Column("ns_per_pass", "number", "`elapsed_ns` by `iterations`"),
        Column("disturbed", "truth", "whether something else on the machine took time from it"),
        Column("taken_back", "truth", "whether its process failed in that round, so that it does not count"),
        Column("settled", "truth", "whether the warm-up had ended"),
        Column("waited_ns", "whole", "nanoseconds for which it was ready and not on a core"),
        Column("own_ns", "whole", "of processor time"),
        Column("stolen_ns", "whole", "by the hypervisor"),
        Column("involuntary_switches", "whole", "of the process"),
        Column("allocated_bytes_per_op", "whole", "of a pass, where the runner tells"),
    ),
}
