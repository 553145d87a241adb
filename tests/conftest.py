"""Profiles for property tests: quick in the ordinary run, long in `make torture`."""

import os
import signal

from hypothesis import HealthCheck, settings
from support.without_models import WITHOUT_MODELS

from waymeet.settings.sources import RAISE_ERRORS

os.environ.update(WITHOUT_MODELS)
os.environ[RAISE_ERRORS] = "1"  # a stage that fails must fail the test
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in a background job of a shell; commands would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("default", max_examples=60, deadline=None, derandomize=True)
settings.register_profile("torture", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")
