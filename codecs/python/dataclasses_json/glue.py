"""Tells dataclasses-json the written names of fields that differ from their names in Python."""

from serbench.languages.python.written import names_alone as emit

__all__ = ["emit"]
