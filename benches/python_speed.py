"""How much the Python package adds to the library's own time.

    python benches/python_speed.py [ROUNDS]

Needs the package (pip install .) and nothing else on the machine. Prints medians over rounds.
"""

import statistics
import subprocess
import sys
import time
from functools import partial

import numpy as np
import unmiss
from unmiss import _frame, _unmiss
from unmiss._listen import Listener

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
THREADS = 2


def seconds(work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def table(rows: int, columns: int) -> np.ndarray:
    """Columns that go together, a fifth of their cells missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 8)) @ rng.normal(size=(8, columns)) + rng.normal(size=(rows, columns))
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def imputation(rows: int = 100_000, columns: int = 50) -> None:
    """fit_transform beside what the library does on a table that is there already."""
    X = table(rows, columns)
    names = _frame.column_names(X)
    native = _frame.to_table(X, names, _frame.LEARN)
    whole, alone = [], []
    for _ in range(ROUNDS):
        whole.append(seconds(lambda: unmiss.Imputer("gaussian", n_jobs=THREADS).fit_transform(X)))

        def library() -> None:
            manner = (0, THREADS, Listener())
            filler = _unmiss.Filler.fit(native, "gaussian", "{}", [], {}, False, manner)
            filler.fill(native, None, manner)

        alone.append(seconds(library))
    whole, alone = statistics.median(whole), statistics.median(alone)
    print(f"gaussian fit_transform, {rows} x {columns}: {whole:.2f} s")
    print(f"the library alone: {alone:.2f} s; ratio {whole / alone:.2f}")


def one_row() -> None:
    """predict on a single row of 20 numbers."""
    X = table(1000, 20)
    y = np.nan_to_num(X[:, 0]) > 0
    for name, settings in (("linear", {}), ("trees", {}), ("mlp", {"epochs": 3}), ("network", {"epochs": 3})):
        model = unmiss.Classifier(name, settings=settings, folds=0, n_jobs=THREADS).fit(X, y)
        row = X[:1]
        model.predict(row)
        times = [seconds(partial(model.predict, row)) for _ in range(500)]
        print(f"predict one row, {name}: {1000 * statistics.median(times):.3f} ms")


def importing() -> None:
    """import unmiss once scikit-learn is there."""
    code = (
        "import time, sklearn.base, sklearn.utils.multiclass, sklearn.utils.class_weight, sklearn.utils.validation\n"
        "began = time.perf_counter()\nimport unmiss\nprint(time.perf_counter() - began)"
    )
    run = lambda: float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    print(f"import unmiss: {statistics.median(run() for _ in range(ROUNDS)):.3f} s")


if __name__ == "__main__":
    importing()
    one_row()
    imputation()
