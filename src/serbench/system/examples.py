"""The names of codecs, workloads and suites that help texts show as examples; they are data, since core may
not know such names."""

from __future__ import annotations

from serbench.system.command import COMMAND

WORKLOAD = "-w record:ids=mixed"
CODECS = "-c 'cpp/*' -c cpp/thrift:compact -c popular"
REFERENCES = "cpp/handwritten, cpp/memcpy, cpp/thrift:compact"
NEEDS = "evolution, cross_language,languages=cpp+jvm"

COMMANDS = {
    "run": "run -w record:ids=mixed -c 'cpp/*' -o encode -o decode",
    "verify": "verify -w record:ids=small -w graph -c 'cpp/*'",
    "setup": "setup -c cpp/protobuf -w graph",
    "encode": "encode -w nobid:count=100 -c 'cpp/*' -O samples",
    "test": "test -c cpp/thrift -k contract",
    "plot": "plot --suite monsters -O pictures",
}
"""An example for each command whose help shows such a name."""


def epilog(command: str) -> str:
    """The text below the help of a command."""
    return f"Example: {COMMAND} {COMMANDS[command]}"
