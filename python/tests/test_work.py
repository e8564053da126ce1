"""Long work: the lock, Ctrl-C, the bar, warnings."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import unmiss
from common import interrupt_soon, other_threads_run, with_signals

LONG = {"epochs": 100_000, "patience": 0, "networks": 1, "n_jobs": 1}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    return X, X[:, 0] > 0


@with_signals
@pytest.mark.parametrize(
    "make",
    [
        lambda: unmiss.NetworkClassifier(**LONG),
        lambda: unmiss.Classifier("network", settings={"epochs": 100_000, "patience": 0, "networks": 1}),
    ],
)
def test_interrupt_stops_a_fit(data, make):
    model = make()
    timer, began = interrupt_soon(), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*data)
    assert time.monotonic() - began < 20
    assert not hasattr(model, "model_")
    timer.join()
    # The next fit is not stopped by the last one's signal.
    unmiss.LinearClassifier().fit(*data)


def test_other_threads_run_meanwhile(data):
    with other_threads_run():
        unmiss.NetworkClassifier(epochs=60, networks=1, patience=0, n_jobs=1).fit(*data)


def test_fits_side_by_side(data):
    X, y = data
    alone = unmiss.TreesClassifier(rounds=20).fit(X, y).predict_proba(X)
    results = [None] * 4

    def fit(place):
        results[place] = unmiss.TreesClassifier(rounds=20).fit(X, y).predict_proba(X)

    threads = [threading.Thread(target=fit, args=(place,)) for place in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for result in results:
        np.testing.assert_array_equal(result, alone)


def test_the_bar(data, capsys):
    unmiss.NetworkClassifier(epochs=3, networks=1, verbose=1).fit(*data)
    written = capsys.readouterr()
    assert written.out == "" and "\r" in written.err and "[" in written.err and "left" in written.err
    unmiss.NetworkClassifier(epochs=3, networks=1).fit(*data)
    assert capsys.readouterr().err == ""


def test_warnings_may_be_errors(data):
    import pandas as pd

    X, y = data
    frame = pd.DataFrame({"a": X[:, 0], "key": [f"P{row:03}" for row in range(400)]})
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(unmiss.UnmissWarning, match="left out"):
            unmiss.LinearClassifier().fit(frame, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        unmiss.LinearClassifier().fit(frame, y)
    assert [os.path.basename(entry.filename) for entry in caught] == ["test_work.py"]


def test_import_is_quick_and_asks_for_little():
    code = """
        import sys, time
        import sklearn.base, sklearn.utils.multiclass, sklearn.utils.class_weight, sklearn.utils.validation
        loaded = set(sys.modules)
        began = time.perf_counter()
        import unmiss
        took = time.perf_counter() - began
        frames = {"pandas", "polars", "pyarrow", "matplotlib", "torch", "xgboost"}
        assert not (set(sys.modules) - loaded) & frames, (set(sys.modules) - loaded) & frames
        print(took)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.0
