"""The tables as which runs are exported, and what their columns mean; docs/data.md is made from this.

The tables are tidy: a row is one thing (a run, a codec of a run, a cell, a cost, a sample), and each of its
values is one number or one text, or empty if it is not known. Tables can be joined by the columns that they
share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["text", "integer", "number", "boolean"]

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
    Column("codec", "text", "the codec variant, as `list codecs` names it"),
    Column("workload", "text", "the workload with its parameters"),
    Column("compiler", "text", "empty where the language has only one"),
)
_OF_CELL = (
    *_OF_UNIT,
    Column("operation", "text", "`serialize`, `deserialize` or another of `list operations`"),
    Column("memory", "text", "`reuse` or `fresh`"),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        _RUN,
        Column("started", "text", "when the run started, as ISO 8601"),
        Column("suite", "text", "the suite that was run; empty if none"),
        Column("ended", "boolean", "whether the run finished"),
        Column("serbench", "text", "the version of serbench that measured"),
        Column("revision", "text", "the commit of serbench's repository"),
        Column("processor", "text", "its name, as the operating system gives it"),
        Column("microarchitecture", "text", "such as `zen4`"),
        Column("cores", "integer", "the number of cores of the machine"),
        Column("memory_bytes", "integer", "the machine's memory in bytes"),
        Column("system", "text", "the operating system"),
        Column("kernel", "text", "the release of the kernel"),
        Column("c_library", "text", "the C library and its version"),
        Column("virtual", "boolean", "whether it is a virtual machine"),
        Column("load_at_start", "number", "the load average of the minute before the run"),
        Column("rounds", "integer", "the least number of rounds planned"),
        Column("seed", "integer", "the seed of the order in which cells were measured"),
        Column("sampled_ns", "integer", "nanoseconds that all samples took together"),
        Column("stolen_ns", "integer", "of these, nanoseconds that the hypervisor took"),
    ),
    "codecs": (
        _RUN,
        Column("codec", "text", "the codec variant, as `list codecs` names it"),
        Column("language", "text", "the language of the codec, with which its id begins"),
        Column("library_version", "text", "the version of the library; empty if unknown"),
        Column("own", "boolean", "whether the codec is the user's own rather than built in"),
        Column("floor", "boolean", "whether it is a lower bound, and not ranked"),
        Column("reference", "text", "what it is, if it is no library and so not ranked; else empty"),
        Column("dynamic", "boolean", "whether its library is linked dynamically"),
        Column("lossy", "text", "what it does not keep of the data by design; empty if nothing"),
        Column("checks", "text", "what deserializing checks, separated by spaces"),
        Column("hostile", "text", "what hostile messages can do to it, separated by spaces"),
        Column("features", "text", "which features of `--need` it has, separated by spaces"),
    ),
    "cells": (
        *_OF_CELL,
        Column("language", "text", "the language of the codec, with which its id begins"),
        Column("status", "text", "`ok`, `failed`, `not_installed` or `unsupported`"),
        Column("reason", "text", "why the status is not `ok`"),
        Column("rank", "integer", "from 1; equal ranks are too close to call; 0 does not compete"),
        Column(
            "unsteady",
            "boolean",
            "whether its times vary so much that its order among those of its rank is not known",
        ),
        Column("may_lead", "boolean", "whether it may be the fastest of those that it is ranked among"),
        Column(
            "constant_time_view",
            "boolean",
            "whether the operation does not read the message; such cells are ranked among themselves",
        ),
        Column(
            "undercuts_floor",
            "boolean",
            "whether it is faster than the floor though it reads the message, which is suspicious",
        ),
        Column("messages", "integer", "the number of messages in the dataset"),
        Column("size_bytes", "integer", "bytes of all encoded messages together"),
        Column("bytes_per_message", "number", "`size_bytes` divided by `messages`"),
        Column("time_ns", "number", "nanoseconds for one pass over all messages; cells are ranked by it"),
        Column("time_low_ns", "number", "the lower end of the interval of `time_ns`"),
        Column("time_high_ns", "number", "the upper end of that interval"),
        Column("coverage", "number", "the confidence level of the interval, such as 0.95"),
        Column("mean_ns", "number", "the mean of all samples; cells are not ranked by it"),
        Column("ns_per_message", "number", "`time_ns` divided by `messages`"),
        Column("mb_per_s", "number", "encoded megabytes (10^6 bytes) per second"),
        Column("ratio_best", "number", "its time divided by that of the best of its table, paired by round"),
        Column("ratio_low", "number", "the lower end of the interval of `ratio_best`"),
        Column("ratio_high", "number", "the upper end of that interval"),
        Column("rounds", "integer", "rounds from which the figures were taken"),
        Column("samples", "integer", "samples taken"),
        Column(
            "disturbed_samples",
            "integer",
            "of these, samples during which something else took processor time",
        ),
        Column("deducted_rounds", "integer", "rounds in which the time of others was deducted"),
        Column("doubt", "number", "the standard error of `time_ns`, as a share, that this adds"),
        Column("unsettled_rounds", "integer", "rounds in which it was still warming up when timing began"),
        Column("allocated_bytes", "number", "bytes allocated per pass, if the runner reports it"),
    ),
    "costs": (
        *_OF_CELL,
        Column("parcel", "text", "what is compressed at once: `message`, `block` or `byte`"),
        Column("compressor", "text", "the compressor, for sizes on the wire"),
        Column(
            "cost",
            "text",
            "what was measured, such as `instructions_per_pass`, `peak_bytes` or `compile_time_ns`",
        ),
        Column("value", "number", "the figure, in the unit with which the name of the cost ends"),
    ),
    "samples": (
        *_OF_CELL,
        Column("round", "integer", "the round, counted from 1"),
        Column("iterations", "integer", "passes in the sample's batch"),
        Column("elapsed_ns", "integer", "nanoseconds that the batch took"),
        Column("ns_per_pass", "number", "`elapsed_ns` divided by `iterations`"),
        Column("disturbed", "boolean", "whether something else on the machine took processor time from it"),
        Column(
            "taken_back",
            "boolean",
            "whether its process failed later in that round, so that the sample does not count",
        ),
        Column("settled", "boolean", "whether the warm-up was over"),
        Column("waited_ns", "integer", "nanoseconds for which it was ready to run but had no core"),
        Column("own_ns", "integer", "nanoseconds of processor time that it had itself"),
        Column("stolen_ns", "integer", "nanoseconds that the hypervisor took"),
        Column("involuntary_switches", "integer", "involuntary context switches of the process"),
        Column("allocated_bytes_per_op", "integer", "bytes allocated per pass, if the runner reports it"),
    ),
}
