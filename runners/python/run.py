"""Starts the measuring program: ``run.py CELL CODEC LIBRARIES COMMAND …``, three folders in front of the
arguments that docs/protocol.md describes. LIBRARIES is ``-`` for a codec that needs nothing but Python."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from serbench_runner.main import main  # found by the line above

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
