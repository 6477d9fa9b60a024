"""Starts the command line, for ``python -m serbench``."""

from serbench.cli.app import main

main()
