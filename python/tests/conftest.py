"""Fixtures of several files. scikit-learn checks array API input only if SciPy was told of it before it is loaded."""

import os
import signal

# A shell lets what it starts in the background ignore Ctrl-C: tests that send it would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import pytest  # noqa: E402
import unmiss  # noqa: E402


@pytest.fixture(scope="session")
def films():
    return unmiss.sample("films")


@pytest.fixture(scope="session")
def numbered(films):
    """The same ratings with positions for ids."""
    number = lambda column: column.str[-3:].astype(int) - 1
    return films.assign(user=number(films["user"]), item=number(films["item"]))
