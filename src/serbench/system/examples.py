"""The names of codecs, workloads and suites that help texts show as examples; kept apart as data, since code
of serbench's core may not depend on such names."""

from __future__ import annotations

from serbench.system.command import COMMAND

WORKLOAD = "-w record:ids=mixed"
CODECS = "-c 'cpp/*' -c cpp/thrift:compact -c popular"
REFERENCES = "cpp/handwritten, cpp/memcpy, cpp/thrift:compact"
REVISION = "v1.2:order.proto"
VERSION = "python/orjson=3.9.0"
NEEDS = "evolution, cross_language,languages=cpp+jvm"
PROFILE = "json:i-json"

COMMANDS = {
    "run": "-w record:ids=mixed -c 'cpp/*' -o encode -o decode",
    "show": "--format markdown",
    "compare": "20261121-0312 20261121-0455 --threshold 3% --format markdown",
    "plot": "--suite monsters -O pictures",
    "report": "-O report.html",
    "serve": "--port 8000",
    "export": "--table samples -O samples.parquet",
    "sql": "'SELECT codec, min(time_ns) FROM cells GROUP BY codec'",
    "list": "codecs --format markdown",
    "why": "-w telemetry -c cpp/protobuf -c cpp/flatbuffers",
    "history": "python/orjson --last 6 --quick",
    "verify": "-w record:ids=small -w graph -c 'cpp/*'",
    "encode": "-w nobid:count=100 -c 'cpp/*' -O samples",
    "doctor": "--deep --comparisons 5",
    "setup": "-c cpp/protobuf -w graph",
    "test": "-c cpp/thrift -k contract",
}
"""The words of an example, for each command whose help shows one."""


def epilog(command: str) -> str | None:
    """Return the text below the help of a command; None where the command has no example."""
    return f"Example: {COMMAND} {command} {COMMANDS[command]}" if command in COMMANDS else None
