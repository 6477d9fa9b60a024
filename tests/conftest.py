"""Fixtures."""

from __future__ import annotations

import pytest
from tests.support import Native, build_everything


@pytest.fixture(scope="session")
def native() -> Native:
    """Every codec with small data, built once and kept from one test run to the next."""
    return build_everything()
