"""Seconds, memory and error of imputing, beside scikit-learn in the same run, two threads each.

    benches/impute_speed.py --program target/release/unmiss [--rounds 3]

Made data: 50 columns that share 12 factors, a fifth of the cells hidden. Needs numpy, pandas, scikit-learn.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

COLUMNS, FACTORS, HIDDEN = 50, 12, 0.2


def made(rows):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(rows, FACTORS)) @ rng.normal(size=(FACTORS, COLUMNS))
    truth += 1.5 * rng.normal(size=(rows, COLUMNS))
    observed = rng.random(truth.shape) >= HIDDEN
    return truth, observed


def error(filled, truth, observed):
    return float(np.sqrt(np.mean((((filled - truth) / truth.std(0))[~observed]) ** 2)))


def program(path, method, source, folder):
    """Seconds and peak megabytes of a run from file to file."""
    start = time.time()
    command = [path, "--quiet", "--threads", "2", "impute", source, "-o", folder / "full.csv", "--method", method]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return time.time() - start, usage.ru_maxrss / 1024


PEER = """
import sys, time, resource, numpy as np, pandas as pd
from sklearn.experimental import enable_iterative_imputer
from sklearn.impute import IterativeImputer, KNNImputer
start = time.time()
values = pd.read_csv(sys.argv[2]).to_numpy()
imputer = KNNImputer() if sys.argv[1] == "knn" else IterativeImputer(max_iter=10, random_state=0)
filled = imputer.fit_transform(values)
pd.DataFrame(filled).to_csv(sys.argv[3], index=False)
print(time.time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def peer(name, source, folder):
    environment = dict(os.environ, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", PYTHONWARNINGS="ignore")
    command = [sys.executable, "-c", PEER, name, source, folder / "full.csv"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return tuple(float(word) for word in answer.stdout.split())


def main():
    import pandas as pd

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/unmiss")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    path = str(pathlib.Path(arguments.program).resolve())
    print("| rows | what | seconds | peak MB | error |\n|---|---|---|---|---|", flush=True)
    for rows, ours, peers in [
        (5_000, ["neighbours", "gaussian", "chained"], ["knn"]),
        (10_000, ["gaussian", "chained"], ["iterative"]),
        (100_000, ["gaussian", "chained", "neighbours"], []),
    ]:
        truth, observed = made(rows)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            source = folder / "holes.csv"
            names = [f"x{column}" for column in range(COLUMNS)]
            pd.DataFrame(np.where(observed, truth, np.nan), columns=names).round(5).to_csv(source, index=False)
            tools = [("unmiss", name) for name in ours] + [("scikit-learn", name) for name in peers]
            for tool, name in tools:
                if tool == "unmiss":
                    runs = [program(path, name, source, folder) for _ in range(arguments.rounds)]
                else:
                    runs = [peer(name, source, folder)]
                filled = pd.read_csv(folder / "full.csv").to_numpy()
                seconds = sorted(seconds for seconds, _ in runs)[len(runs) // 2]
                print(f"| {rows:,} | {tool} {name} | {seconds:.2f} | {max(memory for _, memory in runs):.0f} | "
                      f"{error(filled, truth, observed):.4f} |", flush=True)


if __name__ == "__main__":
    main()
