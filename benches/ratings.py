"""Recommenders beside scikit-surprise on the very same ratings held out.

    benches/ratings.py --data DIR [--seeds 2] [--test 0.1] [--only biases,factors] [--slow]

DIR holds a MovieLens set: `u.data` (100K) or `ratings.dat` (1M, 10M), gzipped or not. For each seed numpy draws the
share of the ratings that is held out; every tool learns from the rest and predicts the same pairs. Figures: root mean
square error on them for each split, their mean, and seconds of fitting, mean over splits. Ours use two threads;
scikit-surprise uses one, as it always does. Needs numpy, pandas and, for its lines, scikit-surprise; without it only
ours are shown. `--slow` adds SVDpp, which takes minutes.
"""

import argparse
import gzip
import pathlib
import time

import numpy as np
import pandas as pd
import unmiss

THREADS = 2
COLUMNS = ["user", "item", "rating"]


def ratings(folder):
    """The ratings of a folder: user, item, rating."""
    for name in ("u.data", "ratings.dat"):
        for path in (folder / name, folder / f"{name}.gz"):
            if path.exists():
                with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="latin-1") as file:
                    lines = file.read().replace("::", "\t").split()
                cells = np.array(lines, dtype=np.float64).reshape(-1, 4)[:, :3]
                return pd.DataFrame(cells, columns=COLUMNS).astype({"user": np.int64, "item": np.int64})
    raise SystemExit(f"{folder} has neither u.data nor ratings.dat, gzipped or not")


class Ours:
    def __init__(self, model):
        self.model = model

    def fit(self, train):
        self.model.fit(train)

    def predict(self, test):
        return self.model.predict(test)


class Theirs:
    """An algorithm of scikit-surprise. Its answers are kept within the scale, as it does itself."""

    def __init__(self, make):
        self.make = make

    def prepare(self, train):
        """The ratings in the form it wants, which is not counted as fitting."""
        from surprise import Dataset, Reader

        scale = (train["rating"].min(), train["rating"].max())
        self.trainset = Dataset.load_from_df(train[COLUMNS], Reader(rating_scale=scale)).build_full_trainset()

    def fit(self, train):
        self.model = self.make()
        self.model.fit(self.trainset)

    def predict(self, test):
        pairs = zip(test["user"].tolist(), test["item"].tolist())
        return np.array([self.model.predict(user, item).est for user, item in pairs])


def tools(seed, slow):
    """Every tool by name."""
    ours = {"n_jobs": THREADS, "random_state": seed}
    listed = {}
    try:
        import surprise
    except ImportError:
        print("scikit-surprise is not installed: only ours are shown\n")
    else:
        listed["surprise BaselineOnly"] = Theirs(lambda: surprise.BaselineOnly(verbose=False))
        listed["surprise SVD"] = Theirs(lambda: surprise.SVD(random_state=seed))
        better = {"n_factors": 100, "n_epochs": 60, "reg_all": 0.1, "random_state": seed}
        listed["surprise SVD(n_factors=100, n_epochs=60, reg_all=.1)"] = Theirs(lambda: surprise.SVD(**better))
        if slow:
            listed["surprise SVDpp"] = Theirs(lambda: surprise.SVDpp(random_state=seed))
    listed["RatingBiases"] = Ours(unmiss.RatingBiases(**ours))
    listed["MatrixFactorization"] = Ours(unmiss.MatrixFactorization(**ours))
    listed["MatrixFactorization(draws=0, factors=20)"] = Ours(unmiss.MatrixFactorization(draws=0, factors=20, **ours))
    listed["AutoRec"] = Ours(unmiss.AutoRec(**ours))
    listed["AutoRec(members=5)"] = Ours(unmiss.AutoRec(members=5, **ours))
    listed["RatingBlend"] = Ours(unmiss.RatingBlend(**ours))
    return listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--test", type=float, default=0.1)
    parser.add_argument("--only", help="parts of the names of the tools to run, with commas between")
    parser.add_argument("--slow", action="store_true")
    arguments = parser.parse_args()
    table = ratings(arguments.data)
    print(f"{len(table):,} ratings, {arguments.test:.0%} held out, {THREADS} threads for ours\n")
    errors, seconds = {}, {}
    for seed in range(arguments.seeds):
        held = np.zeros(len(table), dtype=bool)
        held[np.random.default_rng(seed).permutation(len(table))[: round(arguments.test * len(table))]] = True
        train, test = table[~held], table[held]
        for name, tool in tools(seed, arguments.slow).items():
            if arguments.only and not any(part.lower() in name.lower() for part in arguments.only.split(",")):
                continue
            if hasattr(tool, "prepare"):
                tool.prepare(train)
            began = time.perf_counter()
            tool.fit(train)
            seconds.setdefault(name, []).append(time.perf_counter() - began)
            error = np.sqrt(np.mean((tool.predict(test) - test["rating"].to_numpy()) ** 2))
            errors.setdefault(name, []).append(error)
    splits = [f"split {seed}" for seed in range(arguments.seeds)]
    print(f"| tool | {' | '.join(splits)} | mean | seconds of fit |\n|---|{'---|' * (len(splits) + 2)}")
    for name, own in sorted(errors.items(), key=lambda entry: np.mean(entry[1])):
        figures = " | ".join(f"{error:.4f}" for error in own)
        print(f"| {name} | {figures} | {np.mean(own):.4f} | {np.mean(seconds[name]):.1f} |")


if __name__ == "__main__":
    main()
