"""bpy 4.2 as a module crashes at the end of Python once any class with methods was registered: the status comes first."""

import os
import sys

import pytest

_status = [0]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    _status[0] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    if "bpy" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_status[0])
