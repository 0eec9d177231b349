# SPDX-License-Identifier: MIT
"""What the tests take from the environment.

SBPKIT_BUILD names the build folder, SBPKIT_TEST_SCALE how much is tried (1: quick, 5: full, 20: also what takes minutes),
SBPKIT_REFERENCE a folder with data of other implementations in reference/, SBPKIT_EMULATOR what runs foreign binaries.
SBPKIT_CPU and SBPKIT_TEMPLATES go through to the tools: a full run is one with each of their values.
"""

import os
import pathlib
import signal

import pytest

import tool

try:
    import hypothesis
except ImportError:
    collect_ignore = ["test_properties.py"]
else:
    hypothesis.settings.register_profile(
        "sbpkit",
        deadline=None,
        # In CI, too, a run is to say something about the change, and not about its luck.
        derandomize=tool.SCALE <= 1 or bool(os.environ.get("CI")),
        max_examples=tool.times(25),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.load_profile("sbpkit")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: too slow for a quick run; runs where SBPKIT_TEST_SCALE is 5 or more")
    # What is started in the background may be told to ignore it, and hand that on to the tools.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    if tool.SCALE < 5:
        for item in items:
            if item.get_closest_marker("full"):
                item.add_marker(pytest.mark.skip(reason="SBPKIT_TEST_SCALE is under 5"))


@pytest.fixture(scope="session")
def reference():
    """The folder of reference data; the tests that need it are skipped where there is none."""
    if not os.environ.get("SBPKIT_REFERENCE"):
        pytest.skip("SBPKIT_REFERENCE is not set")
    return pathlib.Path(os.environ["SBPKIT_REFERENCE"]) / "reference"
