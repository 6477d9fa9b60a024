"""Starts the measuring program with both samplers, ours and pyperf's (./serbench doctor --cross-check):
``crosscheck.py SAMPLER PACKAGES CELL CODEC LIBRARIES COMMAND …``. SAMPLER takes the samples, PACKAGES is the
folder with pyperf; the other arguments are those of run.py."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from serbench_runner.main import main  # found by the line above

if __name__ == "__main__":
    sampler = "".join(sys.argv[1:2])
    if sampler not in ("serbench", "pyperf"):
        sys.exit(f"found sampler '{sampler}', expected serbench or pyperf")
    words = sys.argv[3:]
    if sampler == "serbench":
        sys.exit(main(words))
    sys.path.append(sys.argv[2])
    from serbench_runner.by_pyperf import by_pyperf

    sys.exit(main(words, by_pyperf))
