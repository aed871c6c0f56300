# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

import convtranspose as ct


def pytest_addoption(parser):
    parser.addoption(
        "--exhaustive",
        action="store_true",
        help="run every case in the whole product of layouts, dtypes, engines and threads",
    )


@pytest.fixture(scope="session")
def exhaustive(request) -> bool:
    return request.config.getoption("--exhaustive")


@pytest.fixture(autouse=True)
def process_settings_restored():
    isa, threads = ct.active_isa(), ct.get_num_threads()
    yield
    ct.set_isa(isa)
    ct.set_num_threads(threads)
