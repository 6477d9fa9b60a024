"""Tests of the linker scripts that give programs other layouts."""

from __future__ import annotations

import re
import string
from fnmatch import fnmatchcase
from random import Random

import pytest

from serbench.languages.cpp.layouts import layout_script

NAME = string.ascii_letters + string.digits + "_"


@pytest.mark.parametrize("number", range(20))
def test_each_function_is_in_one_group(number: int) -> None:
    draws, script = Random(number), layout_script(number)
    groups = re.findall(r"\*\((\.text\._Z.+)\)", script)
    assert len(groups) == 16
    counts = dict.fromkeys(groups, 0)
    for _ in range(400):
        name = ".text._Z" + "".join(draws.choices(NAME, k=draws.randrange(14, 200)))
        (group,) = (each for each in groups if fnmatchcase(name, each))
        counts[group] += 1
    assert all(counts.values())


def test_each_object_is_in_one_group() -> None:
    for number in range(20):
        draws = Random(number)
        groups = re.findall(r"    (\*\S+\.o)\(\.text\)", layout_script(number))
        assert len(groups) == 4
        for _ in range(100):
            name = "/".join("".join(draws.choices(NAME, k=12)) for _ in range(3)) + ".o"
            assert sum(fnmatchcase(name, each) for each in groups) == 1


def test_a_layout_is_drawn_from_its_number_alone() -> None:
    scripts = [layout_script(number) for number in range(8)]
    assert scripts == [layout_script(number) for number in range(8)]
    assert len(set(scripts)) == 8
