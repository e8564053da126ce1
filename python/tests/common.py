"""What test files share: the program, files it wrote, one recommender of each kind, a look at other threads."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pyarrow.csv
import pytest
import scipy.sparse as sparse
import unmiss

PROGRAM = pathlib.Path(
    os.environ.get("UNMISS_PROGRAM", pathlib.Path(__file__).parents[2] / "target" / "debug" / "unmiss")
)
with_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")
with_signals = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")

#: One recommender of each kind, with quick settings.
QUICK_RECOMMENDERS = [
    unmiss.AutoRec(hidden=12, epochs=8, rate=0.02, n_jobs=2),
    unmiss.MatrixFactorization(factors=4, rounds=3, n_jobs=2),
    unmiss.RatingBlend(methods=("factors", "biases"), n_jobs=2),
    unmiss.CFNade(hidden=8, epochs=2, n_jobs=2),
    unmiss.RatingBiases(n_jobs=2),
]
every_recommender = pytest.mark.parametrize("model", QUICK_RECOMMENDERS, ids=lambda model: type(model).__name__)


def program(*arguments):
    """What the program prints."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def read(path):
    """A CSV file; Arrow reads the very number that was written."""
    return pyarrow.csv.read_csv(path).to_pandas()


def matrix(ratings):
    """Ratings with positions for ids as a sparse matrix."""
    return sparse.coo_array((ratings["rating"], (ratings["user"], ratings["item"])), shape=(300, 200))


def interrupt_soon(after=0.5):
    """Ctrl-C in a while."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@contextlib.contextmanager
def other_threads_run():
    """Fails where another thread comes to a word less than five times a second."""
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    try:
        yield
        ended = time.monotonic()
    finally:
        done.set()
        thread.join()
    during = sum(began < at < ended for at in ticks)
    assert during > 5 * (ended - began), f"{during} ticks in {ended - began:.2f} s"
