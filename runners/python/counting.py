"""Starts the measuring program as run.py does, with counting.c preloaded, and at its end prints the number
and bytes of allocations since the process began."""

import ctypes
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from serbench_runner.main import main  # found by the line above
from serbench_runner.output import Output


def say_allocated(output: Output) -> None:
    number, size = ctypes.c_uint64(), ctypes.c_uint64()
    ctypes.CDLL(None).serbench_counted(ctypes.byref(number), ctypes.byref(size))
    output.say("allocated", allocations=number.value, allocated_bytes=size.value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], afterword=say_allocated))
