"""PyPOTS' SAITS and BRITS on the values that `unmiss impute` is asked for, of PhysioNet's challenge of 2012.

    benches/series.py --program target/release/unmiss --data DIR [--shares 0.1,0.5,0.9] [--stays 4000] [--seed 0]
                      [--methods interpolation,kalman,bidirectional] [--peers saits,brits] [--epochs 20]

DIR holds the folder `physionet2012`. Stays of set a are learned from and those of set c are filled, in bins of an hour
(means), 48 for each stay, after the same share of the known values was hidden in both. Every tool gets the same cells
and is asked for the same; of its training stays a fifth tells a network of PyPOTS when to stop. Mean absolute error of
the hidden values of set c in standard deviations of what is known in set a, and processor seconds, one thread. Straight
lines are computed here as well, as a check of both sides. Needs numpy, pandas; for peers pypots.
"""

import argparse
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd

STATICS = ["Age", "Gender", "Height", "ICUType"]
HOURS = 48


def stays(folder, name, count):
    """`[stays, 48, variables]` with NaN for what is not known, and the names of the variables."""
    rows = pd.read_csv(folder / "physionet2012" / f"set-{name}.csv.gz").dropna()
    rows = rows[~rows.Parameter.isin(STATICS) & ~((rows.Parameter == "Weight") & (rows.Value == -1))]
    ids = np.sort(rows.RecordID.unique())[:count]
    rows = rows[rows.RecordID.isin(ids)]
    hour = rows.Time.str.split(":").str[0].astype(int).clip(upper=HOURS - 1)
    binned = rows.groupby([rows.RecordID, hour, rows.Parameter]).Value.mean().unstack()
    every = pd.MultiIndex.from_product([ids, range(HOURS)], names=["RecordID", "Time"])
    return binned.reindex(every)


def hidden(values, share, seed):
    known = np.argwhere(~np.isnan(values))
    chosen = np.random.default_rng(seed).random(len(known)) < share
    holed = values.copy()
    holed[tuple(known[chosen].T)] = np.nan
    return holed, tuple(known[chosen].T)


def lines(values):
    """Straight lines between known values, the nearest beyond them, 0 (the mean) where there is none."""
    steps, filled = np.arange(HOURS), values.copy()
    for stay in filled:
        for column in stay.T:
            known = ~np.isnan(column)
            column[:] = np.interp(steps, steps[known], column[known]) if known.any() else 0.0
    return filled


def ours(program, method, settings, train, test, folder, seed):
    for name, frame in (("train", train), ("test", test)):
        frame.to_csv(folder / f"{name}.csv")
    general = [program, "--quiet", "--threads", "1", "--seed", str(seed), "impute"]
    form = ["--series", "RecordID", "--time", "Time"]
    chosen = ["--method", method] + [part for setting in settings for part in ("--set", setting)]
    subprocess.run([*general, folder / "train.csv", *form, *chosen, "--save", folder / "model.unmiss", "-o",
                    folder / "train-full.csv"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*general, folder / "test.csv", "--with", folder / "model.unmiss", "-o", folder / "full.csv"],
                   check=True, stdout=subprocess.DEVNULL)
    full = pd.read_csv(folder / "full.csv").set_index(["RecordID", "Time"]).reindex(test.index)
    return full[test.columns]


def peer(name, train, test, epochs, seed, folder):
    import torch
    from pypots.imputation import BRITS, SAITS
    from pypots.utils.random import set_random_seed

    torch.set_num_threads(1)
    set_random_seed(seed)
    common = dict(n_steps=HOURS, n_features=train.shape[2], epochs=epochs, patience=min(10, epochs), batch_size=64,
                  device="cpu", verbose=False)
    if name == "saits":
        model = SAITS(n_layers=2, d_model=128, n_heads=4, d_k=32, d_v=32, d_ffn=128, dropout=0.1, **common)
    else:
        model = BRITS(rnn_hidden_size=128, **common)
    order = np.random.default_rng(seed).permutation(len(train))
    aside, learn = order[: len(train) // 5], order[len(train) // 5:]
    judged, _ = hidden(train[aside], 0.1, seed + 7)
    model.fit({"X": train[learn]}, {"X": judged, "X_ori": train[aside]})
    return model.predict({"X": test})["imputation"]


def spent():
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--shares", default="0.1,0.5,0.9")
    parser.add_argument("--stays", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default="last-value,interpolation,kalman,bidirectional")
    parser.add_argument("--set", action="append", default=[], help="NAME=VALUE for each of METHODS")
    parser.add_argument("--peers", default="")
    parser.add_argument("--epochs", type=int, default=20)
    asked = parser.parse_args()
    names = lambda text: [name for name in text.split(",") if name]
    a, c = (stays(asked.data, name, asked.stays) for name in "ac")
    c = c.reindex(columns=a.columns)
    shape = (-1, HOURS, a.shape[1])
    for share in map(float, names(asked.shares)):
        train, _ = hidden(a.to_numpy().reshape(shape), share, asked.seed)
        truth = c.to_numpy().reshape(shape)
        test, places = hidden(truth, share, asked.seed + 1)
        mean, deviation = (of(train, axis=(0, 1)) for of in (np.nanmean, np.nanstd))
        scaled = lambda values: (values - mean) / deviation
        frame = lambda values, like: pd.DataFrame(values.reshape(len(like), -1), like.index, like.columns)

        def tell(name, fill):
            start, clock = time.time(), spent()
            error = np.abs(fill() - scaled(truth))[places]
            print(f"{share} {name}: {np.nanmean(error):.4f} of {np.isfinite(error).sum()} values, "
                  f"{spent() - clock:.0f} processor seconds, {time.time() - start:.0f} s", flush=True)

        tell("straight lines", lambda: lines(scaled(test)))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for method in names(asked.methods) if asked.program else []:
                tell(method, lambda: scaled(ours(asked.program, method, asked.set, frame(train, a), frame(test, c),
                                                 folder, asked.seed).to_numpy().reshape(shape)))
            for name in names(asked.peers):
                tell(name, lambda: peer(name, scaled(train), scaled(test), asked.epochs, asked.seed, folder))


main()
