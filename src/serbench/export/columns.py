"""The tables as which runs are exported, and what their columns mean; docs/data.md is made from this.

The tables are tidy: a row is one thing (a run, a codec of a run, a cell, a cost, a sample), and each of its
values is one number or text, or empty if unknown. Tables are joined by the columns that they share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

Kind = Literal["text", "integer", "number", "boolean"]

Columns = dict[str, list[Any]]
"""Name of a column → its values; all columns of a table are equally long."""


@dataclass(frozen=True)
class Column:
    """A column of an exported table; ``meaning`` says its unit too."""

    kind: Kind
    name: str
    meaning: str


text, integer = partial(Column, "text"), partial(Column, "integer")
number, boolean = partial(Column, "number"), partial(Column, "boolean")

_RUN = text("run", "the run's id")
_OF_UNIT = (
    _RUN,
    text("codec", "the codec variant, as `list codecs` names it"),
    text("workload", "the workload with its parameters"),
    text("compiler", "empty where the language has only one"),
)
_OF_CELL = (
    *_OF_UNIT,
    text("operation", "`serialize`, `deserialize` or another of `list operations`"),
    text("memory", "`reuse` or `fresh`"),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "runs": (
        _RUN,
        text("started", "when the run started, as ISO 8601"),
        text("suite", "the suite that was run; empty if none"),
        boolean("ended", "whether the run finished"),
        text("serbench", "the version of serbench that measured"),
        text("revision", "the commit of serbench's repository"),
        text("processor", "its name, as the operating system gives it"),
        text("microarchitecture", "such as `zen4`"),
        integer("cores", "the number of cores of the machine"),
        integer("memory_bytes", "the machine's memory in bytes"),
        text("system", "the operating system"),
        text("kernel", "the release of the kernel"),
        text("c_library", "the C library and its version"),
        boolean("virtual", "whether it is a virtual machine"),
        number("load_at_start", "the load average of the minute before the run"),
        integer("rounds", "the least number of rounds planned"),
        integer("seed", "the seed of the order in which cells were measured"),
        integer("sampled_ns", "nanoseconds that all samples took together"),
        integer("stolen_ns", "of these, nanoseconds that the hypervisor took"),
    ),
    "codecs": (
        _RUN,
        text("codec", "the codec variant, as `list codecs` names it"),
        text("language", "the language of the codec, with which its id begins"),
        text("library_version", "the version of the library; empty if unknown"),
        boolean("own", "whether the codec is the user's own rather than built in"),
        boolean("floor", "whether it is a lower bound, and not ranked"),
        text("reference", "what it is, if it is no library and so not ranked; else empty"),
        boolean("dynamic", "whether its library is linked dynamically"),
        text("lossy", "what it does not keep of the data by design; empty if nothing"),
        text("checks", "what deserializing checks, separated by spaces"),
        text("hostile", "what hostile messages can do to it, separated by spaces"),
        text("features", "which features of `--need` it has, separated by spaces"),
        integer("cases_decided", "how many cases its format's specification decides; empty if not known"),
        integer("cases_conforming", "how many of these come out as it says, with this version"),
    ),
    "cells": (
        *_OF_CELL,
        text("language", "the language of the codec, with which its id begins"),
        text("way", "how a part is read: `skip`, `view`, `scan`, `whole`; changed: `in place`, `rewritten`"),
        text("way_reason", "why everything is decoded for a part, where it is"),
        boolean("unchecked", "whether text that is no UTF-8 goes unnoticed in what is passed over"),
        boolean(
            "doubtful",
            "whether it takes about as long as every field, though it is to pass over the rest",
        ),
        number("share_of_fields", "the share of all fields that the part has"),
        text("number_of", "the workload of which the messages are another number, in a sweep; else empty"),
        integer("data_bytes", "bytes of all messages in the canonical encoding, in a sweep"),
        text("longer_list", "the path of the list that a sweep makes longer; else empty"),
        integer("items", "the number of items that this list has in each message"),
        boolean("computed", "whether its time is computed from other cells', as that of a `filter` is"),
        text("condition", "the path and operator of a filter's conditions, such as `id < …`, with no value"),
        integer("matching", "the number of messages that match the condition"),
        text("status", "`ok`, `failed`, `not_installed` or `unsupported`"),
        text("reason", "why the status is not `ok`"),
        integer("rank", "from 1; equal ranks are too close to call; 0 does not compete"),
        boolean(
            "unsteady", "whether its times vary so much that its order among those of its rank is not known"
        ),
        boolean("may_lead", "whether it may be the fastest of those that it is ranked among"),
        boolean(
            "constant_time_view",
            "whether the operation does not read the message; such cells are ranked among themselves",
        ),
        boolean(
            "undercuts_floor",
            "whether it is faster than the floor though it reads the message, which is suspicious",
        ),
        integer("messages", "the number of messages in the dataset"),
        integer("size_bytes", "bytes of all encoded messages together"),
        number("bytes_per_message", "`size_bytes` divided by `messages`"),
        number("time_ns", "nanoseconds for one pass over all messages; cells are ranked by it"),
        number("time_low_ns", "the lower end of the interval of `time_ns`"),
        number("time_high_ns", "the upper end of that interval"),
        number("coverage", "the confidence level of the interval, such as 0.95"),
        number("mean_ns", "the mean of all samples; cells are not ranked by it"),
        number("ns_per_message", "`time_ns` divided by `messages`"),
        number("mb_per_s", "encoded megabytes (10^6 bytes) per second"),
        number("ratio_best", "its time divided by that of the best of its table, paired by round"),
        number("ratio_low", "the lower end of the interval of `ratio_best`"),
        number("ratio_high", "the upper end of that interval"),
        number("ratio_everything", "its time for a part divided by that for every field, paired by round"),
        number("everything_low", "the lower end of the interval of `ratio_everything`"),
        number("everything_high", "the upper end of that interval"),
        integer("rounds", "rounds from which the figures were taken"),
        integer("samples", "samples taken"),
        integer("disturbed_samples", "of these, samples during which something else took processor time"),
        integer("deducted_rounds", "rounds in which the time of others was deducted"),
        number("doubt", "the standard error of `time_ns`, as a share, that this adds"),
        integer("unsettled_rounds", "rounds in which it was still warming up when timing began"),
        number("allocated_bytes", "bytes allocated per pass, if the runner reports it"),
    ),
    "costs": (
        *_OF_CELL,
        text("parcel", "what is compressed at once: `message`, `block` or `byte`"),
        text("compressor", "the compressor, for sizes on the wire"),
        integer("threads", "how many threads worked at once, for `passes_per_s` of all of them together"),
        boolean("shared", "whether these threads used the same objects of the library"),
        integer("round", "the round, counted from 1, of single calls or of several threads"),
        text("cost", "what was measured, such as `instructions_per_pass`, `peak_bytes` or `compile_time_ns`"),
        number("value", "the figure, in the unit with which the name of the cost ends"),
    ),
    "samples": (
        *_OF_CELL,
        integer("round", "the round, counted from 1"),
        integer("iterations", "passes in the sample's batch"),
        integer("elapsed_ns", "nanoseconds that the batch took"),
        number("ns_per_pass", "`elapsed_ns` divided by `iterations`"),
        boolean("disturbed", "whether something else on the machine took processor time from it"),
        boolean(
            "taken_back", "whether its process failed later in that round, so that the sample does not count"
        ),
        boolean("settled", "whether the warm-up was over"),
        integer("waited_ns", "nanoseconds for which it was ready to run but had no core"),
        integer("own_ns", "nanoseconds of processor time that it had itself"),
        integer("stolen_ns", "nanoseconds that the hypervisor took"),
        integer("involuntary_switches", "involuntary context switches of the process"),
        integer("allocated_bytes_per_op", "bytes allocated per pass, if the runner reports it"),
    ),
}
