"""Dataclasses as lists, as MessagePack for C and C++ has records here."""

from serbench.languages.python.plain import LISTS

emit = LISTS.source
