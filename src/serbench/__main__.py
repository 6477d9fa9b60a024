"""``python -m serbench``: the command line."""

from serbench.cli.app import main

main()
