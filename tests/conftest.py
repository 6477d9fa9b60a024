"""Fixtures, and how property tests run."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from tests.support import Native, build_matrix

# Random schemas are drawn by filtering names and nestings, and the machine is shared: neither how many draws are thrown
# away nor how long one takes is a fault. CI draws the same examples each time, so that it fails for a change's own sake.
settings.register_profile(
    "serbench",
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("serbench")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutations", type=int, default=60, help="mutants of each kind of file that is read; 5000 take an hour")
    parser.addoption("--all", action="store_true", help="every codec with every workload, in place of one or two for each")
    parser.addoption("--schemas", type=int, default=0, help="drawn schemas that every C++ codec is built with; none if 0")


@pytest.fixture(scope="session")
def native(request: pytest.FixtureRequest) -> Native:
    """Every codec with small data, built once and kept from one test run to the next."""
    return build_matrix(request.config.getoption("all"))
