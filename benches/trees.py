"""Processor and wall seconds of `trees` beside LightGBM in the same run, two threads each.

    benches/trees.py --program target/release/unmiss [--predict 1000000] [--rounds 300] [--largest 100000]

Training: two folds of two members, so four fits each on two fifths of the rows, at equal rows, columns, leaves (31) and
rounds, from a CSV file to a saved model. Predicting: rows of 20 columns from file to file with the
models that both fit by their defaults on 10,000 rows. Made data, a tenth of the cells missing. Needs numpy, pandas and
lightgbm.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

SIZES = [(1_000, 100), (10_000, 50), (100_000, 20)]

PEER = """
import sys, numpy as np, pandas as pd, lightgbm
task, source, rounds, output = sys.argv[1:5]
frame = pd.read_csv(source)
if task == "fit":
    settings = dict(num_leaves=31, learning_rate=0.1, num_threads=2, verbosity=-1)
    target = frame.pop("y").to_numpy()
    objective = "binary" if set(np.unique(target)) == {0, 1} else "regression"
    inputs, order = frame.to_numpy(), np.random.default_rng(0).permutation(len(frame))
    for fold in range(int(sys.argv[5])):
        # As many rows as the other side learns from.
        rows = order if sys.argv[5] == "1" else order[fold % 2 :: 2][: int(len(order) * 0.4)]
        data = lightgbm.Dataset(inputs[rows], target[rows])
        lightgbm.train(dict(settings, objective=objective), data, int(rounds)).save_model(output)
else:
    model = lightgbm.Booster(model_file=rounds)
    answers = model.predict(frame.drop(columns="y").to_numpy(), num_threads=2)
    pd.DataFrame({"prediction": answers}).to_csv(output, index=False)
"""


def made(path, rows, columns, classes, seed=0):
    """A table whose target bends and interacts."""
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(rows, columns))
    sums = inputs[:, 0] * inputs[:, 1] + np.sin(2 * inputs[:, 2]) + inputs[:, 3:8].sum(1) / 2
    sums += rng.normal(size=rows)
    target = (sums > 0).astype(int) if classes else sums
    inputs[rng.random(inputs.shape) < 0.1] = np.nan
    names = [f"x{number}" for number in range(columns)]
    import pandas

    frame = pandas.DataFrame(inputs, columns=names)
    frame["y"] = target
    frame.to_csv(path, index=False, float_format="%.6g")


def timed(command):
    """Processor seconds and wall seconds of a command."""
    environment = dict(os.environ, OMP_NUM_THREADS="2", PYTHONWARNINGS="ignore")
    start = time.time()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, time.time() - start


def line(what, ours, theirs):
    figures = f"{ours[0]:8.1f} {ours[1]:8.1f} {theirs[0]:8.1f} {theirs[1]:8.1f}"
    print(f"{what:34} {figures} {ours[0] / theirs[0]:8.2f} {ours[1] / theirs[1]:8.2f}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--rounds", default="300")
    arguments.add_argument("--largest", type=int, default=100_000)
    arguments.add_argument("--predict", type=int, default=1_000_000)
    asked = arguments.parse_args()
    unmiss = [asked.program, "--quiet", "--threads", "2"]
    peer = [sys.executable, "-c", PEER]
    print(f"{'':34} {'unmiss':>17} {'LightGBM':>17} {'ratio':>17}")
    print(f"{'':34} {'cpu':>8} {'wall':>8} {'cpu':>8} {'wall':>8} {'cpu':>8} {'wall':>8}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, model, other, out = (folder / name for name in ["data.csv", "ours.unmiss", "theirs.txt", "out.csv"])
        same = ["--folds", "2", "--set", f"rounds={asked.rounds}", "--set", "patience=100000", "--set", "members=2"]
        for rows, columns in [size for size in SIZES if size[0] <= asked.largest]:
            for classes in [False, True]:
                made(source, rows, columns, classes)
                fit = ["fit", source, "--target", "y", "--method", "trees", "-o", model, "--fresh", *same]
                ours = timed([*unmiss, *fit])
                theirs = timed([*peer, "fit", source, asked.rounds, other, "4"])
                line(f"fit {rows} x {columns}, {'two classes' if classes else 'a number'}", ours, theirs)
        for classes in [False, True] if asked.predict else []:
            made(source, 10_000, 20, classes)
            ours = timed([*unmiss, "fit", source, "--target", "y", "--method", "trees", "-o", model, "--fresh"])
            theirs = timed([*peer, "fit", source, asked.rounds, other, "1"])
            line(f"fit 10000 x 20 by defaults, {'classes' if classes else 'number'}", ours, theirs)
            made(source, asked.predict, 20, classes, seed=1)
            ours = timed([*unmiss, "predict", model, source, "-o", out])
            theirs = timed([*peer, "predict", source, other, out])
            line(f"predict {asked.predict} x 20, {'classes' if classes else 'number'}", ours, theirs)


if __name__ == "__main__":
    main()
